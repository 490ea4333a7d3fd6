/** Metrics for Prometheus, counted by route pattern so that no id or token becomes a label. */

const buckets = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

interface Series {
  count: number;
  sum: number;
  readonly upTo: number[];
}

export class Metrics {
  // By route, then by method and status: no string is built for a known combination.
  readonly #requests = new Map<string, Map<string, Map<number, { count: number }>>>();
  readonly #times = new Map<string, Series>();
  readonly #gauges = new Map<string, { readonly help: string; readonly read: () => number }>();

  /** Counts one request. */
  count(method: string, route: string, status: number, ms: number): void {
    const methods = this.#requests.get(route) ?? new Map<string, Map<number, { count: number }>>();
    this.#requests.set(route, methods);
    const statuses = methods.get(method) ?? new Map<number, { count: number }>();
    methods.set(method, statuses);
    const counted = statuses.get(status);
    if (counted === undefined) statuses.set(status, { count: 1 });
    else counted.count++;
    const series = this.#times.get(route) ?? { count: 0, sum: 0, upTo: buckets.map(() => 0) };
    this.#times.set(route, series);
    series.count++;
    series.sum += ms;
    for (const [index, bound] of buckets.entries()) if (ms <= bound) series.upTo[index] = (series.upTo[index] ?? 0) + 1;
  }

  /** Adds a gauge that is read on request. */
  gauge(name: string, help: string, read: () => number): void {
    this.#gauges.set(name, { help, read });
  }

  /** All metrics in the text format of Prometheus. */
  text(): string {
    const lines = ['# HELP coppice_requests_total Requests answered.', '# TYPE coppice_requests_total counter'];
    for (const [route, methods] of this.#requests)
      for (const [method, statuses] of methods)
        for (const [status, { count }] of statuses)
          lines.push(`coppice_requests_total{method="${method}",route="${route}",status="${status}"} ${count}`);
    lines.push(
      '# HELP coppice_request_duration_seconds Time to the head of the answer.',
      '# TYPE coppice_request_duration_seconds histogram',
    );
    for (const [route, series] of this.#times) {
      for (const [index, bound] of buckets.entries())
        lines.push(
          `coppice_request_duration_seconds_bucket{route="${route}",le="${bound / 1000}"} ${series.upTo[index] ?? 0}`,
        );
      lines.push(
        `coppice_request_duration_seconds_bucket{route="${route}",le="+Inf"} ${series.count}`,
        `coppice_request_duration_seconds_sum{route="${route}"} ${series.sum / 1000}`,
        `coppice_request_duration_seconds_count{route="${route}"} ${series.count}`,
      );
    }
    for (const [name, { help, read }] of this.#gauges)
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${read()}`);
    return `${lines.join('\n')}\n`;
  }
}
