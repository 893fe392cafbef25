/** Opens and clicks over time as bars, with people and bots separated. */
import type { CampaignReport } from '../../../../src/features/campaigns/report.schema.ts';
import { texts } from '../../../texts/en.ts';
import { reportTexts } from '../../../texts/en/report.ts';
import { classes } from '../../../ui/classes.ts';
import { Card, Section } from '../../../ui/page.tsx';
import { DataTable } from './data-table.tsx';

const t = reportTexts;

const CHARTS = [
  { title: t.opens, people: 'opened', machines: 'machineOpened', tracked: 'opens', color: 'bg-info' },
  { title: t.clicks, people: 'clicked', machines: 'machineClicked', tracked: 'clicks', color: 'bg-good' },
] as const;
type Chart = (typeof CHARTS)[number];
type Entry = CampaignReport['timeline'][number];

export function VisitCharts({ report }: { report: CampaignReport }) {
  const { timeline, timelineInterval, tracked } = report;
  const format = timeFormat(timelineInterval);
  return (
    <Section title={t.overTime} description={t.overTimeText}>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        {CHARTS.map((chart) => (
          <VisitChart
            key={chart.title}
            chart={chart}
            timeline={timeline}
            isTracked={tracked[chart.tracked]}
            format={format}
          />
        ))}
      </div>
      <p className="mt-2 text-[0.8125rem] text-soft">{t.machineNote}</p>
      {timeline.length > 0 && (
        <details className="mt-2">
          <summary className="w-fit cursor-pointer rounded text-soft hover:text-ink">{t.asTable}</summary>
          <div className="mt-2">
            <DataTable
              label={t.overTime}
              rows={timeline.filter(hasVisits)}
              keyOf={({ at }) => at}
              empty={t.nothingYet}
              columns={[
                { name: t.time, cell: ({ at }) => format(at) },
                { name: t.opens, isNumber: true, cell: ({ opened }) => texts.common.number(opened) },
                { name: t.clicks, isNumber: true, cell: ({ clicked }) => texts.common.number(clicked) },
                {
                  name: t.unsubscribes,
                  isNumber: true,
                  cell: ({ unsubscribed }) => texts.common.number(unsubscribed),
                },
                {
                  name: t.byMachines.opens,
                  isNumber: true,
                  wideOnly: true,
                  cell: ({ machineOpened }) => texts.common.number(machineOpened),
                },
                {
                  name: t.byMachines.clicks,
                  isNumber: true,
                  wideOnly: true,
                  cell: ({ machineClicked }) => texts.common.number(machineClicked),
                },
              ]}
            />
          </div>
        </details>
      )}
    </Section>
  );
}

function hasVisits({ at: _at, ...counts }: Entry): boolean {
  return Object.values(counts).some((count) => count > 0);
}

interface VisitChartProps {
  chart: Chart;
  timeline: Entry[];
  isTracked: boolean;
  format(at: string): string;
}

function VisitChart({ chart, timeline, isTracked, format }: VisitChartProps) {
  const { title, people, machines, color } = chart;
  const sumOf = (name: Chart['people'] | Chart['machines']) =>
    timeline.reduce((sum, entry) => sum + entry[name], 0);
  const byPeople = sumOf(people);
  const byMachines = sumOf(machines);
  const most = Math.max(0, ...timeline.map((entry) => entry[people] + entry[machines]));
  const share = (count: number) => `${most === 0 ? 0 : (100 * count) / most}%`;
  return (
    <Card className="min-w-0">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="font-medium">{title}</h3>
        <div className="flex flex-wrap gap-x-4 text-[0.8125rem] text-soft tabular-nums">
          <Key color={color} name={t.by.people} count={byPeople} />
          <Key color={MACHINES} name={t.by.machines} count={byMachines} />
        </div>
      </div>
      <div role="img" aria-label={t.chartLabel(title, byPeople, byMachines)}>
        <p className="border-b border-dashed border-line pb-0.5 text-right text-[0.6875rem] text-soft tabular-nums">
          {most > 0 ? texts.common.number(most) : '\u00a0'}
        </p>
        <div className="relative flex h-32 items-end border-b border-line">
          {timeline.map((entry) => (
            <div
              key={entry.at}
              title={t.barLabel(format(entry.at), entry[people], entry[machines])}
              className="flex h-full max-w-8 min-w-0 flex-1 flex-col justify-end px-[min(1px,4%)] hover:bg-hover"
            >
              <div className={classes('rounded-t-xs', MACHINES)} style={{ height: share(entry[machines]) }} />
              <div
                className={classes(entry[machines] === 0 && 'rounded-t-xs', color)}
                style={{ height: share(entry[people]) }}
              />
            </div>
          ))}
          {most === 0 && (
            <p className="absolute inset-0 grid place-items-center text-soft">
              {isTracked ? t.nothingYet : t.notTracked}
            </p>
          )}
        </div>
        <div className="mt-1 flex justify-between text-[0.6875rem] text-soft">
          {timeline.length > 0 && <span>{format(timeline[0]!.at)}</span>}
          {timeline.length > 1 && <span>{format(timeline.at(-1)!.at)}</span>}
        </div>
      </div>
    </Card>
  );
}

const MACHINES = 'bg-edge/40';

function Key({ color, name, count }: { color: string; name: string; count: number }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden className={classes('size-2.5 rounded-xs', color)} />
      {name} {texts.common.number(count)}
    </span>
  );
}

/** Days and weeks begin at midnight UTC; hours are shown in the user's time zone. */
function timeFormat(interval: CampaignReport['timelineInterval']): (at: string) => string {
  const format = new Intl.DateTimeFormat(
    texts.locale,
    interval === 'hour'
      ? { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }
      : { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  );
  return (at) => format.format(new Date(at));
}
