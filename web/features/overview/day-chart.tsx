import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './day-chart.css';
import { useIsDark } from '../../shell/theme.ts';
import { texts } from '../../texts/en.ts';
import type { Day } from './analytics-api.ts';

const t = texts.overview;
const HEIGHT_PX = 240;
const LEGEND_PX = 28;
const SERIES = [
  { name: 'sent', color: '--info', fill: true },
  { name: 'delivered', color: '--good', fill: false },
  { name: 'bounced', color: '--bad', fill: false },
] as const;

export function DayChart({ days, label }: { days: Day[]; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const isDark = useIsDark();
  useEffect(() => {
    const element = box.current!;
    const plot = new UPlot(optionsFor(element), dataOf(days), element);
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [days, isDark]);
  return (
    <figure aria-label={label}>
      <div ref={box} style={{ height: HEIGHT_PX + LEGEND_PX }} className="overflow-hidden" />
    </figure>
  );
}

/** uPlot counts in seconds; the days are UTC's. */
function dataOf(days: Day[]): UPlot.AlignedData {
  return [
    days.map(({ date }) => Date.parse(`${date}T00:00:00Z`) / 1000),
    ...SERIES.map(({ name }) => days.map((day) => day[name])),
  ];
}

function optionsFor(element: HTMLElement): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--soft'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  const dayName = new Intl.DateTimeFormat(texts.locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const format = (seconds: number) => dayName.format(new Date(seconds * 1000));
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    padding: [8, 8, 0, 0],
    cursor: { drag: { x: false, y: false }, points: { size: 7 } },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.08)] } },
    axes: [
      { ...axis, size: 30, grid: { show: false }, values: (_plot, values) => values.map(format) },
      {
        ...axis,
        size: 52,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6],
        values: (_plot, values) =>
          values.map((value) => new Intl.NumberFormat(texts.locale, { notation: 'compact' }).format(value)),
      },
    ],
    series: [
      { label: t.date, value: (_plot, seconds) => (seconds === null ? '' : format(seconds)) },
      ...SERIES.map(({ name, color: variable, fill }) => ({
        label: t.counts[name],
        stroke: color(variable),
        fill: fill ? `${color(variable)}18` : undefined,
        width: 1.5,
        value: (_plot: UPlot, value: number | null) => (value === null ? '' : texts.common.number(value)),
        points: { show: false },
      })),
    ],
  };
}
