"""Counts the scans of `scans.ndjson` for questions to the statistics, as docs/api.md promises them: another program that agrees.

Reads {"scans": "<NDJSON>", "now": <milliseconds>, "questions": [{parameter: value or list}]} from standard input, and writes a
list of the expected answers, without `code` and `as_of`.
"""

import json
import sys
from collections import Counter
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

DIMENSIONS = ["source", "device", "os", "browser", "country", "city", "referrer", "answer", "placement"]
TOP = {"answer": 21, "placement": 100}
QUARTER = 900


def start_of(day, zone):
    """The second at which a day begins."""
    return int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp())


def local(second, zone):
    return datetime.fromtimestamp(second, zone)


class Window:
    """Scans from `begin` until before `end`, in seconds."""

    def __init__(self, scans, begin, end, audience):
        self.all = [scan for scan in scans if begin <= scan["second"] < end]
        self.heard = [scan for scan in self.all if audience == "all" or scan["bot"] == (audience == "bot")]


def counts(scans):
    return {"scans": len(scans), "unique_visitors": sum(scan["unique"] for scan in scans)}


def totals(window):
    heard = window.heard
    bots = sum(scan["bot"] for scan in heard)
    qr = sum(scan["source"] == "qr" for scan in heard)
    return {**counts(heard), "humans": len(heard) - bots, "bots": bots, "qr": qr, "link": len(heard) - qr}


def by_audience(window):
    return {
        "humans": counts([scan for scan in window.all if not scan["bot"]]),
        "bots": counts([scan for scan in window.all if scan["bot"]]),
    }


def fits(scan, question):
    return all(
        ("~" if scan[name] is None else scan[name]) in question[name] for name in DIMENSIONS if name in question
    )


def days_of(question, today):
    if "from" not in question:
        return today - timedelta(days=question.get("days", 30) - 1), today
    return date.fromisoformat(question["from"]), date.fromisoformat(question.get("to", today.isoformat()))


def hours_between(begin, end):
    return [(second, min(second + 3600, end)) for second in range(begin, end, 3600)]


def periods(question, first, last, zone):
    """Begin, end and date of each period of the series."""
    interval = question.get("interval", "day")
    days = [first + timedelta(days=at) for at in range((last - first).days + 1)]
    borders = [(start_of(day, zone), start_of(day + timedelta(days=1), zone), day) for day in days]
    if interval == "hour":
        return [
            (begin, end, local(begin, zone).isoformat(timespec="minutes"))
            for day_begin, day_end, _ in borders
            for begin, end in hours_between(day_begin, day_end)
        ]
    found = []
    for begin, end, day in borders:
        begins = interval == "day" or (day.weekday() == 0 if interval == "week" else day.day == 1)
        if found and not begins:
            found[-1] = (found[-1][0], end, found[-1][2])
        else:
            found.append((begin, end, day.isoformat()))
    return found


def year_before(moment):
    try:
        return moment.replace(year=moment.year - 1)
    except ValueError:
        return moment.replace(year=moment.year - 1, day=28)


def earlier(first, last, by_year, now, zone):
    """The days, and the seconds, of the window with which another is compared."""
    back = year_before if by_year else (lambda moment: moment - timedelta(days=(last - first).days + 1))
    begin, end = back(first), back(last)
    until = start_of(end + timedelta(days=1), zone)
    if last == now.date():
        then = back(now.replace(tzinfo=None)).replace(tzinfo=zone)
        until = min(until, int(then.timestamp()) // QUARTER * QUARTER)
    return begin, end, start_of(begin, zone), until


def breakdown(name, scans, limit):
    values = Counter((scan[name], scan["country"] if name == "city" and scan[name] else None) for scan in scans)
    firsts = Counter()
    for scan in scans:
        firsts[(scan[name], scan["country"] if name == "city" and scan[name] else None)] += scan["unique"]
    if name == "source":
        keys = [("qr", None), ("link", None)]
    else:
        order = lambda key: (-values[key], key[0] is None, key[0] or "", key[1] or "")
        keys = sorted(values, key=order)[: limit or TOP.get(name, 10)]
    return [
        {"value": key[0], **({"country": key[1]} if name == "city" else {}), "scans": values[key], "unique_visitors": firsts[key]}
        for key in keys
    ]


def heat(scans, zone):
    hours = [[0] * 24 for _ in range(7)]
    for scan in scans:
        moment = local(scan["second"], zone)
        hours[moment.weekday()][moment.hour] += 1
    return hours


def answer(question, scans, at):
    zone = ZoneInfo(question.get("tz", "UTC"))
    now = local(at, zone)
    first, last = days_of(question, now.date())
    audience = question.get("audience", "all")
    chosen = [scan for scan in scans if fits(scan, question)]
    window = Window(chosen, start_of(first, zone), start_of(last + timedelta(days=1), zone), audience)
    series = periods(question, first, last, zone)
    expected = {
        "days": (last - first).days + 1,
        "from": first.isoformat(),
        "to": last.isoformat(),
        "timezone": question.get("tz", "UTC"),
        "audience": audience,
        "totals": totals(window),
        "unique_visitors": counts(window.heard)["unique_visitors"],
        "by_audience": by_audience(window),
        "series": [
            {"date": named, **counts([scan for scan in window.heard if begin <= scan["second"] < end])}
            for begin, end, named in series
        ],
        "breakdowns": {name: breakdown(name, window.heard, question.get("limit")) for name in DIMENSIONS},
        "raw_missing": 0,
    }
    if first == last:
        hours = hours_between(start_of(first, zone), start_of(last + timedelta(days=1), zone))
        expected["hours"] = [
            {
                "at": local(begin, zone).isoformat(timespec="seconds"),
                **counts([scan for scan in window.heard if begin <= scan["second"] < end]),
            }
            for begin, end in hours
        ]
    if question.get("previous"):
        begin, _, since, until = earlier(first, last, False, now, zone)
        before = Window(chosen, since, until, audience)
        expected["previous"] = {
            "from": begin.isoformat(),
            "until": local(until, zone).isoformat(timespec="seconds"),
            "totals": totals(before),
            "unique_visitors": counts(before.heard)["unique_visitors"],
            "by_audience": by_audience(before),
        }
    if "compare" in question:
        begin, end, since, until = earlier(first, last, question["compare"] == "year", now, zone)
        compared = Window(chosen, since, until, audience)
        expected["compared"] = {
            "from": begin.isoformat(),
            "to": end.isoformat(),
            "totals": totals(compared),
            "by_audience": by_audience(compared),
        }
    if question.get("heat"):
        expected["heat"] = heat(window.heard, zone)
    return expected


def main():
    task = json.load(sys.stdin)
    scans = [json.loads(line) for line in task["scans"].splitlines()]
    for scan in scans:
        moment = datetime.strptime(scan["scanned_at"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
        scan["second"] = moment.timestamp()
    json.dump([answer(question, scans, task["now"] / 1000) for question in task["questions"]], sys.stdout)


main()
