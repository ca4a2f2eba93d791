import type { ObjectivesService } from './objectives.service.ts';
import type { NewestFigure, ResultsStore } from './results.store.ts';

type Sample = { labels: Record<string, string>; value: number | null };
type Metric = { name: string; help: string; samples: Sample[] };

/** Quality for Prometheus: what the reader may see of it, as it stands now. */
export function createQosMetrics(deps: {
  store: Pick<ResultsStore, 'listNewest'>;
  objectives: Pick<ObjectivesService, 'list'>;
}) {
  /** Of these teams; undefined is all. What is not known has no sample. */
  return async function describe(teamIds: string[] | undefined): Promise<string> {
    const figures = await deps.store.listNewest(teamIds);
    const metrics = [...figureMetrics(figures), ...(await budgetMetrics(figures))];
    return metrics.map(toText).join('');
  };

  async function budgetMetrics(figures: NewestFigure[]): Promise<Metric[]> {
    const left: Sample[] = [];
    const burn: Sample[] = [];
    const target: Sample[] = [];
    for (const [teamId, team] of new Map(figures.map((one) => [one.team_id, one.team]))) {
      for (const { label, target: wanted, budget } of await deps.objectives.list(teamId)) {
        const labels = { team, label };
        target.push({ labels, value: wanted });
        left.push({ labels, value: budget.leftPercent });
        burn.push({ labels: { ...labels, window: 'day' }, value: budget.burnRate.lastDay });
        burn.push({ labels: { ...labels, window: 'week' }, value: budget.burnRate.lastWeek });
        burn.push({ labels: { ...labels, window: 'objective' }, value: budget.burnRate.window });
      }
    }
    return [
      { name: 'faultline_qos_objective_percent', help: 'What a label should reach.', samples: target },
      { name: 'faultline_qos_budget_left_percent', help: 'What is left of the error budget.', samples: left },
      { name: 'faultline_qos_burn_rate', help: 'How fast the error budget is spent; 1 just lasts.', samples: burn },
    ];
  }
}

function figureMetrics(figures: NewestFigure[]): Metric[] {
  const samples = (value: (one: NewestFigure) => number | null): Sample[] =>
    figures.map((one) => ({ labels: { team: one.team, label: one.label }, value: value(one) }));
  return [
    {
      name: 'faultline_qos_label_percent',
      help: 'Quality of a label on the newest day that was computed.',
      samples: samples(({ value }) => value),
    },
    {
      name: 'faultline_qos_label_coverage_percent',
      help: 'How much of that day was measured.',
      samples: samples(({ coverage }) => coverage),
    },
    {
      name: 'faultline_qos_label_day_seconds',
      help: 'When that day began, in unix seconds.',
      samples: samples(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1000),
    },
  ];
}

function toText({ name, help, samples }: Metric): string {
  const lines = samples.flatMap(({ labels, value }) => {
    if (value === null) return [];
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escape(text)}"`);
    return [`${name}{${pairs.join(',')}} ${value}\n`];
  });
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

const escape = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
