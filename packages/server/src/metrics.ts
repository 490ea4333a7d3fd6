/** Metrics for Prometheus, counted by route pattern so that no id or token becomes a label. */
import { measureBusyMs, measureProcess } from '#platform/system';

const buckets = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

interface Series {
  count: number;
  sum: number;
  readonly upTo: number[];
}

interface ReadValue {
  readonly kind: 'gauge' | 'counter';
  readonly help: string;
  readonly read: () => number;
  readonly labels: Readonly<Record<string, string>>;
}

const requestsHelp = 'Requests answered, by method, route and status.';
const durationHelp = 'Time until the response headers, by route.';

/**
 * Adds the metrics of a process: version, memory, processor time. Each is measured when a client requests the metrics.
 */
export function addProcessMetrics(metrics: Metrics, version: string): void {
  metrics.gauge('coppice_build_info', 'Always 1; the label is the version of Coppice.', () => 1, { version });
  const use = measureProcess();
  if (use === null) return;
  metrics.gauge('coppice_process_uptime_seconds', 'Time since the process started.', use.uptime);
  metrics.gauge('coppice_process_resident_bytes', 'Memory of the process.', use.residentBytes);
  metrics.counter('coppice_process_cpu_seconds_total', 'Processor time of the process.', use.cpuSeconds);
  metrics.counter(
    'coppice_process_busy_seconds_total',
    'Time in which the event loop was busy. Close to one second per second, requests have to wait.',
    () => measureBusyMs() / 1_000,
  );
}

export class Metrics {
  // Keyed by route, then by method and status, so that no string is built for a known combination.
  readonly #requests = new Map<string, Map<string, Map<number, { count: number }>>>();
  readonly #times = new Map<string, Series>();
  readonly #values = new Map<string, ReadValue>();

  /** Counts one request and its duration. */
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

  /** Adds a gauge whose value is read when the metrics are requested. */
  gauge(name: string, help: string, read: () => number, labels: Readonly<Record<string, string>> = {}): void {
    this.#values.set(name, { kind: 'gauge', help, read, labels });
  }

  /** Adds a counter whose value is read when the metrics are requested. It must never decrease. */
  counter(name: string, help: string, read: () => number): void {
    this.#values.set(name, { kind: 'counter', help, read, labels: {} });
  }

  /** The name, kind and description of every metric, for the documentation. */
  get described(): readonly { readonly name: string; readonly kind: string; readonly help: string }[] {
    return [
      { name: 'coppice_requests_total', kind: 'counter', help: requestsHelp },
      { name: 'coppice_request_duration_seconds', kind: 'histogram', help: durationHelp },
      ...[...this.#values].map(([name, { kind, help }]) => ({ name, kind, help })),
    ];
  }

  /** Returns all metrics in the text format of Prometheus. */
  text(): string {
    const lines = [`# HELP coppice_requests_total ${requestsHelp}`, '# TYPE coppice_requests_total counter'];
    for (const [route, methods] of this.#requests)
      for (const [method, statuses] of methods)
        for (const [status, { count }] of statuses)
          lines.push(`coppice_requests_total{method="${method}",route="${route}",status="${status}"} ${count}`);
    lines.push(
      `# HELP coppice_request_duration_seconds ${durationHelp}`,
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
    for (const [name, { kind, help, read, labels }] of this.#values) {
      const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
      const labelled = pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, `${labelled} ${read()}`);
    }
    return `${lines.join('\n')}\n`;
  }
}
