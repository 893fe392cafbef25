/** One count over time as a line, in the accent, with the area below it. */
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './count-chart.css';
import { useIsDark } from '../../shell/theme.ts';
import { texts } from '../../texts/en.ts';
import { overviewTexts } from '../../texts/en/overview.ts';

const HEIGHT_PX = 180;

interface TrendChartProps {
  label: string;
  /** What is counted, for the value under the pointer. */
  name: string;
  names: string[];
  values: number[];
  /** The scale begins at zero for counts of events, but not for the size of an audience. */
  fromZero: boolean;
}

export function TrendChart({ label, name, names, values, fromZero }: TrendChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const isDark = useIsDark();
  useEffect(() => {
    const element = box.current!;
    const data: UPlot.AlignedData = [values.map((_, at) => at), values];
    const plot = new UPlot(optionsFor(element, { name, names, values, fromZero }), data, element);
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [name, names, values, fromZero, isDark]);
  return (
    <figure aria-label={label}>
      <div ref={box} style={{ minHeight: HEIGHT_PX + 28 }} className="overflow-hidden" />
    </figure>
  );
}

function optionsFor(
  element: HTMLElement,
  { name, names, values, fromZero }: Omit<TrendChartProps, 'label'>,
): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (variable: string) => style.getPropertyValue(variable).trim();
  const axis = {
    stroke: color('--soft'),
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
    ticks: { show: false },
  };
  const last = values.length - 1;
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    padding: [8, 8, 0, 0],
    cursor: { drag: { x: false, y: false }, y: false },
    scales: {
      x: { time: false, range: () => [0, Math.max(1, last)] },
      y: { range: (_plot, min, max) => rangeOf(min ?? 0, max ?? 0, fromZero) },
    },
    axes: [
      {
        ...axis,
        size: 28,
        space: 90,
        grid: { show: false },
        incrs: [1, 2, 3, 5, 7, 10, 14, 20, 28, 50, 100, 200],
        values: (_plot, at) => at.map((each) => names[each] ?? ''),
      },
      {
        ...axis,
        size: 44,
        space: 48,
        grid: { stroke: color('--line'), width: 1 },
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6],
        values: (_plot, at) =>
          at.map((each) => new Intl.NumberFormat(texts.locale, { notation: 'compact' }).format(each)),
      },
    ],
    series: [
      { label: overviewTexts.when, value: (_plot, at) => (at === null ? '' : (names[at] ?? '')) },
      {
        label: name,
        stroke: color('--brass'),
        fill: color('--tint'),
        width: 2,
        points: { show: values.length < 3, fill: color('--brass') },
        value: (_plot, value) => (value === null ? '' : texts.common.number(value)),
      },
    ],
  };
}

/** With space above and, unless it begins at zero, below, so that small changes of a large number are seen. */
function rangeOf(min: number, max: number, fromZero: boolean): [number, number] {
  const space = Math.max(2, (max - min) * 0.12);
  return [fromZero ? 0 : Math.max(0, min - space), Math.max(4, max + space)];
}
