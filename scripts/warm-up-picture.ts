/** Draws docs/guides/warm-up.svg: the limits of a simulated warm-up, day by day, on a logarithmic scale. */
import {
  SIMULATED_DAYS,
  SIMULATED_PROVIDERS,
  SIMULATED_WARM_UP,
  simulateWarmUp,
} from '../src/testing/fixtures/warm-up-simulation.ts';

const [WIDTH, HEIGHT] = [760, 380];
const AREA = { left: 70, top: 40, right: 740, bottom: 310 };
const COLORS = ['#1d6fb8', '#b4540a', '#3f7d20'];
const [LOWEST, HIGHEST] = [20, 20_000];
const LINES = [50, 100, 500, 1_000, 5_000, 10_000];

function xOf(day: number): number {
  return AREA.left + (day / (SIMULATED_DAYS - 1)) * (AREA.right - AREA.left);
}

function yOf(messages: number): number {
  const share = Math.log(messages / LOWEST) / Math.log(HIGHEST / LOWEST);
  return AREA.bottom - share * (AREA.bottom - AREA.top);
}

function text(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end' = 'start'): string {
  return `<text x="${x.toFixed(0)}" y="${y.toFixed(0)}" text-anchor="${anchor}">${words}</text>`;
}

export function warmUpPicture(): string {
  const grid = LINES.map(
    (messages) =>
      `<path d="M${AREA.left} ${yOf(messages).toFixed(1)}H${AREA.right}" stroke="#ddd"/>${text(AREA.left - 8, yOf(messages) + 4, messages.toLocaleString('en'), 'end')}`,
  );
  const days = [1, 10, 20, 30, 40, 50, 60].map((day) =>
    text(xOf(day - 1), AREA.bottom + 20, String(day), 'middle'),
  );
  const curves = SIMULATED_PROVIDERS.map((provider, no) => {
    const points = simulateWarmUp(provider).map(
      ({ day, cap }) => `${xOf(day).toFixed(1)} ${yOf(cap ?? SIMULATED_WARM_UP.target).toFixed(1)}`,
    );
    const [x, y] = [AREA.left + no * 225, HEIGHT - 16];
    return `<path d="M${points.join('L')}" fill="none" stroke="${COLORS[no]}" stroke-width="2"/>
<path d="M${x} ${y - 4}h24" stroke="${COLORS[no]}" stroke-width="2"/>${text(x + 30, y, provider.name)}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13" role="img">
<title>Messages a day to each of three providers during a warm-up of 60 days</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${text(AREA.left, 22, 'Limit of a day (messages), by day of the warm-up')}
${[...grid, ...days, ...curves].join('\n')}
</svg>
`;
}
