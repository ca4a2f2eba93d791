const limitsSeconds = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const name = 'faultline_http_request_duration_seconds';
const help = 'Time from the first byte of a request to the last byte of its answer';

type Series = { labels: { method: string; route: string; status: number }; counts: number[]; sum: number };

/**
 * A Prometheus histogram of request times. It counts into arrays that are found by method, route and status, and becomes labels and
 * text only when somebody scrapes; the library's own histogram sorts and hashes its labels at every observation.
 */
export function createDurations() {
  const byRoute = new Map<string, Map<string, Series>>();

  function seriesOf(method: string, route: string, status: number): Series {
    let ofRoute = byRoute.get(route);
    if (!ofRoute) {
      ofRoute = new Map();
      byRoute.set(route, ofRoute);
    }
    const key = method + status;
    let series = ofRoute.get(key);
    if (!series) {
      // One more than the limits: what is slower than all of them.
      series = { labels: { method, route, status }, counts: Array(limitsSeconds.length + 1).fill(0), sum: 0 };
      ofRoute.set(key, series);
    }
    return series;
  }

  return {
    observe(method: string, route: string, status: number, seconds: number): void {
      const series = seriesOf(method, route, status);
      let bucket = 0;
      while (bucket < limitsSeconds.length && seconds > limitsSeconds[bucket]) bucket++;
      series.counts[bucket]++;
      series.sum += seconds;
    },

    /** What prom-client's registry asks of a metric. */
    metric: {
      name,
      get: async () => ({
        name,
        help,
        type: 'histogram',
        aggregator: 'sum',
        values: [...byRoute.values()].flatMap((ofRoute) => [...ofRoute.values()].flatMap(toValues)),
      }),
      reset: (): void => byRoute.clear(),
    },
  };
}

/** Prometheus counts cumulatively: each bucket holds all that was at most its limit. */
function toValues({ labels, counts, sum }: Series) {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    const le = index < limitsSeconds.length ? limitsSeconds[index] : '+Inf';
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
