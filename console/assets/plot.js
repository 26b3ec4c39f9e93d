import uPlot from './uplot.js';

const READABLE = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** Seconds; the first and the last bar are as wide as the others. */
const HALF_A_MINUTE = 30;

/** Pixels; the last bar may have a label, whose middle is below it. */
const HALF_A_LABEL = 20;

/** Draws events per minute as stacked bars into an element; answers how to show other figures. */
export function eventsPlot(place, readout) {
  let plot;
  let shown;

  function draw(perMinute) {
    shown = perMinute;
    plot?.destroy();
    plot = new uPlot(optionsOf(perMinute, place, tell), stacked(perMinute), place);
  }

  /** What the pointer points at, in words. */
  function tell(index) {
    const { minutes, series } = shown;
    if (index === null || index === undefined) return void (readout.textContent = '\u00a0');
    const happened = series
      .filter(({ counts }) => counts[index] > 0)
      .map(({ type, counts }) => `${counts[index]} ${type}`);
    readout.textContent = `${timeOf(minutes[index])}: ${happened.join(', ') || 'no events'}`;
  }

  new ResizeObserver(() => plot?.setSize(sizeOf(place))).observe(place);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw(shown));
  return draw;
}

/** Each series on those below it, the topmost first: later ones are drawn over earlier ones. */
function stacked({ minutes, series }) {
  const heights = minutes.map(() => 0);
  const sums = series.map(({ counts }) => counts.map((count, index) => (heights[index] += count)));
  return [[...minutes], ...sums.toReversed()];
}

function optionsOf({ series }, place, tell) {
  const style = getComputedStyle(place);
  const colour = (name) => style.getPropertyValue(name).trim();
  const axis = { stroke: colour('--muted'), font: `12px ${style.fontFamily}`, ticks: { show: false } };
  const grid = { stroke: colour('--line'), width: 1 };
  const bars = uPlot.paths.bars({ size: [0.8, 40] });
  return {
    ...sizeOf(place),
    padding: [8, HALF_A_LABEL, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => tell(cursor.idx)] },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: {
      x: { range: (_, first, last) => [first - HALF_A_MINUTE, last + HALF_A_MINUTE] },
      y: { range: (_, __, largest) => [0, Math.max(4, Math.ceil(largest * 1.1))] },
    },
    axes: [
      { ...axis, grid: { show: false }, values: (_, instants) => instants.map(timeOf), size: 28 },
      { ...axis, grid, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000], size: 48 },
    ],
    series: [
      {},
      ...series
        .map(({ type }) => colour(`--type-${type.replace('.', '-')}`) || colour('--muted'))
        .toReversed()
        .map((fill) => ({ fill, stroke: colour('--panel'), width: 0.5, paths: bars, points: { show: false } })),
    ],
  };
}

function sizeOf({ clientWidth: width, clientHeight: height }) {
  return { width, height };
}

function timeOf(seconds) {
  return READABLE.format(new Date(seconds * 1000));
}
