import type { DatabaseSync } from 'node:sqlite'
import { OTHER, UNKNOWN } from '../text-ids.ts'

const steps = [
  `
  create table words (id integer primary key, text text not null unique);
  insert into words values (${OTHER}, '(other)');

  -- The number of the next scan.
  create table counter (next integer not null);
  insert into counter values (1);

  -- How far each journal file has been folded, in bytes.
  create table marks (journal text primary key, position integer not null) without rowid;

  -- Raw scans, clustered by link and time. n distinguishes scans of the same millisecond.
  create table scans (
    link_id integer not null, at integer not null, n integer not null,
    source integer not null, device integer not null, os integer not null, browser integer not null,
    country integer not null, city integer not null, referrer integer not null,
    first integer not null, bot integer not null,
    primary key (link_id, at, n)
  ) without rowid;

  -- Counts by quarter of an hour, the finest step between time zones: series and totals of any day borders.
  create table pulse (
    link_id integer not null, slot integer not null,
    humans integer not null, human_firsts integer not null, bots integer not null, bot_firsts integer not null,
    primary key (link_id, slot)
  ) without rowid;

  -- Counts by value, a UTC day and a month at a time.
  create table daily (
    link_id integer not null, period integer not null, dimension integer not null, value integer not null,
    humans integer not null, human_firsts integer not null, bots integer not null, bot_firsts integer not null,
    primary key (link_id, period, dimension, value)
  ) without rowid;
  create table monthly (
    link_id integer not null, period integer not null, dimension integer not null, value integer not null,
    humans integer not null, human_firsts integer not null, bots integer not null, bot_firsts integer not null,
    primary key (link_id, period, dimension, value)
  ) without rowid;

  -- Everything of a link, ever.
  create table totals (
    link_id integer primary key,
    humans integer not null, human_firsts integer not null, bots integer not null, bot_firsts integer not null,
    qr integer not null, last_at integer not null
  );
  `,
  `
  -- Scans that were lost to damage of the journal, ever, and whether damage was found in a journal file so far.
  alter table counter add column lost integer not null default 0;
  alter table marks add column damaged integer not null default 0;
  `,
  `
  -- One row: the store that the scans belong to, and its newest committed link.
  create table instance (one integer primary key check (one = 1), id text not null, newest integer);
  `,
  `
  alter table words rename to dictionary;
  alter table pulse rename to quarter_hourly;
  `,
  `
  -- The number of the rule that answered the visit, as a text; unknown when the link itself did.
  alter table scans add column answer integer not null default ${UNKNOWN};
  `,
  `
  -- The links whose counts of another service were added, which must not happen twice.
  create table imported (link_id integer primary key);
  `,
  `
  -- Of a link that was imported as a bundle: which one, and how many rows of its tables were added.
  alter table imported add column bundle text not null default '';
  alter table imported add column position integer not null default 0;
  `,
  `
  -- Texts of the dictionary that no row may have any more, because rows that had them were removed.
  create table unused (id integer primary key);
  insert into unused select id from dictionary where id > ${OTHER};
  `,
  `
  -- Visitors among \`human_firsts\` who had come that day as another: what rules count as people leaves them out.
  alter table totals add column people_again integer not null default 0;
  `,
  `
  -- Scans that are counted and have no row in scans, by quarter of an hour (folding/raw-bound.ts).
  create table raw_missing (
    link_id integer not null, slot integer not null,
    humans integer not null, human_firsts integer not null, bots integer not null, bot_firsts integer not null,
    primary key (link_id, slot)
  ) without rowid;
  `,
  `
  -- The id of the placement whose code was scanned, as a text; unknown for other visits.
  alter table scans add column placement integer not null default ${UNKNOWN};
  `,
]

/** The newest schema that this version knows. */
export const warehouseSchema = steps.length

/** Migrates the schema. The warehouse has one writer, so that `user_version` is enough and needs no lock. */
export function migrateWarehouse(db: DatabaseSync): void {
  const { user_version: applied } = db.prepare('pragma user_version').get() as { user_version: number }
  if (applied > steps.length) throw new Error(`the warehouse was written by a newer quirl (schema ${applied})`)
  if (applied === steps.length) return
  // One transaction, because each waits for the disk.
  db.exec(`begin; ${steps.slice(applied).join(';')}; pragma user_version = ${steps.length}; commit`)
}
