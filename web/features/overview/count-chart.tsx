import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './count-chart.css';
import { useIsDark } from '../../shell/theme.ts';
import { texts } from '../../texts/en.ts';
import { overviewTexts } from '../../texts/en/overview.ts';
import type { Entry } from './analytics-api.ts';

const t = overviewTexts;
const HEIGHT_PX = 220;
const LEGEND_PX = 28;
/** The share of an entry's width, and the maximum in pixels. */
const BAR: UPlot.Series.BarsPathBuilderOpts = { size: [0.72, 48], radius: 0.12 };
const HALF_BAR: UPlot.Series.BarsPathBuilderOpts = { size: [0.36, 24], radius: 0.12 };

interface Bar {
  label: string;
  count(entry: Entry): number;
  color: string;
  /** The height of the bar. */
  top(entry: Entry): number;
  align: -1 | 0 | 1;
}

/**
 * No bar hides another: the bars of deliveries are stacked, with the tallest drawn first, and opens and clicks are
 * side by side.
 */
const CHARTS: Record<'delivery' | 'reactions', Bar[]> = {
  delivery: [
    {
      label: t.waiting,
      color: '--info',
      align: 0,
      count: ({ sent, delivered, bounced }) => sent - delivered - bounced,
      top: ({ sent }) => sent,
    },
    {
      label: t.counts.bounced,
      color: '--bad',
      align: 0,
      count: ({ bounced }) => bounced,
      top: ({ delivered, bounced }) => delivered + bounced,
    },
    {
      label: t.counts.delivered,
      color: '--good',
      align: 0,
      count: ({ delivered }) => delivered,
      top: ({ delivered }) => delivered,
    },
  ],
  reactions: [
    {
      label: t.counts.opened,
      color: '--info',
      align: -1,
      count: ({ opened }) => opened,
      top: ({ opened }) => opened,
    },
    {
      label: t.counts.clicked,
      color: '--warn',
      align: 1,
      count: ({ clicked }) => clicked,
      top: ({ clicked }) => clicked,
    },
  ],
};

interface CountChartProps {
  kind: keyof typeof CHARTS;
  entries: Entry[];
  names: string[];
  /** The position of the entry that is still in progress, or -1. */
  unfinished: number;
  label: string;
}

export function CountChart({ kind, entries, names, unfinished, label }: CountChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const isDark = useIsDark();
  useEffect(() => {
    const element = box.current!;
    const bars = CHARTS[kind];
    const data: UPlot.AlignedData = [entries.map((_, at) => at), ...bars.map(({ top }) => entries.map(top))];
    const plot = new UPlot(optionsFor(element, bars, { entries, names, unfinished }), data, element);
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [kind, entries, names, unfinished, isDark]);
  return (
    <figure aria-label={label}>
      <div ref={box} style={{ minHeight: HEIGHT_PX + LEGEND_PX }} className="overflow-hidden" />
    </figure>
  );
}

type Shown = Pick<CountChartProps, 'entries' | 'names' | 'unfinished'>;

function optionsFor(element: HTMLElement, bars: Bar[], { entries, names, unfinished }: Shown): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--soft'),
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  const paths = UPlot.paths.bars!;
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    padding: [20, 8, 0, 0],
    cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
    scales: {
      // The axis uses positions instead of times, so that days on which the clocks change are as wide as others.
      x: { time: false, range: () => [-0.5, entries.length - 0.5] },
      y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.08)] },
    },
    hooks: { drawClear: [(plot) => markUnfinished(plot, unfinished, names, color)] },
    axes: [
      {
        ...axis,
        size: 30,
        space: 84,
        grid: { show: false },
        incrs: [1, 2, 3, 5, 7, 10, 14, 20, 28, 50, 100, 200, 500, 1000, 2000],
        values: (_plot, values) => values.map((at) => names[at] ?? ''),
      },
      {
        ...axis,
        size: 52,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6],
        values: (_plot, values) =>
          values.map((value) => new Intl.NumberFormat(texts.locale, { notation: 'compact' }).format(value)),
      },
    ],
    series: [
      {
        label: t.when,
        value: (_plot, at) =>
          at === null ? '' : at === unfinished ? t.soFar(names[at]!) : (names[at] ?? ''),
      },
      ...bars.map(({ label, count, color: variable, align }) => ({
        label,
        stroke: color(variable),
        fill: color(variable),
        width: 0,
        paths: paths({ ...(align === 0 ? BAR : HALF_BAR), align }),
        value: (_plot: UPlot, _top: number | null, _series: number, at: number | null) =>
          at === null || !entries[at] ? '' : texts.common.number(count(entries[at])),
        points: { show: false },
      })),
    ],
  };
}

/**
 * Draws a tinted band behind the entry that is still in progress, with its name above, because the axis may leave it
 * out.
 */
function markUnfinished(
  plot: UPlot,
  at: number,
  names: readonly string[],
  color: (name: string) => string,
): void {
  if (at === -1) return;
  const [left, right] = [plot.valToPos(at - 0.5, 'x', true), plot.valToPos(at + 0.5, 'x', true)];
  const { top, height } = plot.bbox;
  const { ctx } = plot;
  ctx.save();
  ctx.fillStyle = color('--hover');
  ctx.fillRect(left, top, right - left, height);
  ctx.fillStyle = color('--soft');
  ctx.font = `${11 * devicePixelRatio}px ${getComputedStyle(document.body).fontFamily}`;
  ctx.textAlign = 'right';
  ctx.fillText(t.soFar(names[at]!), right, top - 6 * devicePixelRatio);
  ctx.restore();
}
