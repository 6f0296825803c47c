"""The tables of docs/guides/serving.md, from the results of `load.py`."""

from typing import Any

Report = dict[str, Any]


def table(report: Report) -> str:
    """The tables of docs/guides/serving.md, from the results as JSON."""
    offline = dict(report["offline"])
    best = max(offline.values(), default=None)
    lines = [
        "| clients | sentences a second | of offline | median | 95 % | 99 % | documents | memory, at most |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in report["runs"]:
        documents, rate = one["documents"], one["sentences_per_second"]
        whole = rate + documents["sentences"] / one["seconds"]
        lines.append(
            f"| {one['clients']}{', disturbed' if one['disturbed'] else ''} | {whole:.1f} | "
            f"{whole / best if best else 0:.2f} | {one['p50_ms']:,} ms | {one['p95_ms']:,} ms | "
            f"{one['p99_ms']:,} ms | {documents['documents']} | {one['memory_mib']['most']:,} MiB |"
        )
    return "\n".join([*lines, "", *_disturbances(report)])


def _disturbances(report: Report) -> list[str]:
    lines = [
        "| clients | answers | lost | workers killed | told by /ready after | back after | "
        "slow connections closed |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in report["runs"]:
        if one["disturbed"]:
            ready, lost = one["ready"], one["failures"] + len(one["documents"]["failures"])
            answers = sum(one["statuses"].values())
            lines.append(
                f"| {one['clients']} | {answers:,} | {lost} | {ready['workers_killed']} | "
                f"{ready['most_ms_to_tell']} ms | {ready['most_seconds_to_return']} s | "
                f"{one['slow_connections']['closed by the server']:,} |"
            )
    return lines
