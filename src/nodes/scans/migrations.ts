import { lockTransaction, type PostgresSession } from '../database/session.ts'
import { StartError } from '../../lib/start-error.ts'
import { OTHER, UNKNOWN } from '../../scans/text-ids.ts'

const counts = 'humans bigint not null, human_firsts bigint not null, bots bigint not null, bot_firsts bigint not null'
/** Rows that are updated often: an update that finds room on its page writes no index. */
const updated = 'with (fillfactor = 70)'

const values = (table: string) => `
  create table ${table} (
    link_id bigint not null, period integer not null, dimension smallint not null, value integer not null, ${counts},
    primary key (link_id, period, dimension, value)
  ) ${updated}`

/** The tables are those of `scans.db` (warehouse-schema.ts). Append-only: a released step is never edited. */
const steps = [
  `
  set local search_path = quirl_scans;
  create table dictionary (id integer generated always as identity (start with ${OTHER + 1}) primary key, text text not null unique);
  insert into dictionary (id, text) overriding system value values (${OTHER}, '(other)');

  -- How far each journal file has been folded, in bytes, and the folder that it is in.
  create table journal_positions (
    journal text primary key, folder text not null, position bigint not null, damaged smallint not null
  ) ${updated};
  -- Until when each journal folder has been folded.
  create table folds (folder text primary key, folded_until timestamptz not null) ${updated};
  -- Scans that were lost to damage of journals, ever.
  create table lost (one integer primary key check (one = 1), scans bigint not null);
  insert into lost values (1, 0);

  create sequence scan_numbers;
  create table scans (
    link_id bigint not null, at bigint not null, n bigint not null default nextval('quirl_scans.scan_numbers'),
    source integer not null, device integer not null, os integer not null, browser integer not null,
    country integer not null, city integer not null, referrer integer not null,
    first smallint not null, bot smallint not null, answer integer not null,
    primary key (link_id, at, n)
  ) partition by range (at);
  -- For the removal of old scans; journals arrive in the order of time, nearly.
  create index scans_at on scans using brin (at);

  -- The index has the counts, too: the rows of a link are on as many pages as it has quarters of an hour.
  create table quarter_hourly (
    link_id bigint not null, slot integer not null, ${counts},
    primary key (link_id, slot) include (humans, human_firsts, bots, bot_firsts)
  ) ${updated};
  ${values('daily')};
  ${values('monthly')};
  create table totals (link_id bigint primary key, ${counts}, qr bigint not null, last_at bigint not null) ${updated};
  `,
  `
  -- The links whose counts of another service were added, which must not happen twice.
  create table quirl_scans.imported (link_id bigint primary key);
  `,
  `
  -- Of a link that was imported as a bundle: which one, and how many rows of its tables were added.
  alter table quirl_scans.imported
    add column bundle text not null default '', add column position bigint not null default 0;
  `,
  `
  set local search_path = quirl_scans;
  -- Texts of the dictionary that no row may have any more, because rows that had them were removed.
  create table unused (id integer primary key);
  insert into unused select id from dictionary where id > ${OTHER};
  -- How often texts have been removed: then the ids that nodes have cached may be gone.
  create table sweeps (one integer primary key check (one = 1), number bigint not null);
  insert into sweeps values (1, 0);
  -- Whether the node of a folder keeps the texts that it uses from being removed.
  alter table folds add column keeps_texts boolean not null default false;
  `,
  `
  -- Visitors among human_firsts who had come that day as another: what rules count as people leaves them out.
  alter table quirl_scans.totals add column people_again bigint not null default 0;
  `,
  `
  -- Scans that are counted and have no row in scans, by quarter of an hour (folding/raw-bound.ts).
  create table quirl_scans.raw_missing (
    link_id bigint not null, slot integer not null, ${counts},
    primary key (link_id, slot)
  ) ${updated};
  `,
  `
  -- The id of the placement whose code was scanned, as a text; unknown for other visits.
  alter table quirl_scans.scans add column placement integer not null default ${UNKNOWN};
  `,
]

/** The numbers of the steps that only add: a program that does not know them works all the same. */
const additive: ReadonlySet<number> = new Set([2, 3, 4, 5, 6, 7])

/**
 * Migrates the schemas `quirl_scans` and `quirl_visitors`; of several processes one does, while the others wait.
 * @throws {StartError} when a newer quirl has written them
 */
export async function migrateScans(session: PostgresSession): Promise<void> {
  await session.transaction(async (query) => {
    await lockTransaction(query, 'scan migrations')
    await query('create schema if not exists quirl_scans')
    await query('create schema if not exists quirl_visitors')
    await query('create table if not exists quirl_scans.migrations (number integer primary key)')
    await query('alter table quirl_scans.migrations add column if not exists only_adds boolean not null default false')
    const [row] = await query<{ applied: number; unknown: number }>(
      `select count(*)::integer as applied, count(*) filter (where number > $1 and not only_adds)::integer as unknown
       from quirl_scans.migrations`,
      [steps.length],
    )
    const { applied, unknown } = row ?? { applied: 0, unknown: 0 }
    if (unknown > 0)
      throw new StartError(
        `the scans in DATABASE_URL were written by a newer quirl (schema ${applied}): start that one`,
      )
    for (const [at, step] of steps.entries()) {
      if (at < applied) continue
      await query(step)
      await query('insert into quirl_scans.migrations values ($1, $2)', [at + 1, additive.has(at + 1)])
    }
  })
}
