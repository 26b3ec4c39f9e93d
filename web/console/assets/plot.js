import uPlot from './uplot.js';

const TIME_FORMAT = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** Margin of the x axis, so that the first and the last bar have full width. */
const HALF_MINUTE_SECONDS = 30;

/** Margin for the label of the last bar, which is centred below it. */
const HALF_LABEL_PX = 20;

/** Draws events per minute as stacked bars. Returns a function that draws other figures. */
export function eventsPlot(container, readout) {
  let plot;
  let shown;

  function draw(perMinute) {
    shown = perMinute;
    plot?.destroy();
    plot = new uPlot(optionsOf(perMinute, container, showReadout), stacked(perMinute), container);
  }

  /** Writes the counts under the pointer into the readout. */
  function showReadout(index) {
    const { minutes, series } = shown;
    if (index === null || index === undefined) return void (readout.textContent = '\u00a0');
    const happened = series
      .filter(({ counts }) => counts[index] > 0)
      .map(({ type, counts }) => `${counts[index]} ${type}`);
    readout.textContent = `${timeOf(minutes[index])}: ${happened.join(', ') || 'no events'}`;
  }

  new ResizeObserver(() => plot?.setSize(sizeOf(container))).observe(container);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw(shown));
  return draw;
}

/** Adds each series to those below it. The topmost comes first, because later ones are drawn over earlier ones. */
function stacked({ minutes, series }) {
  const heights = minutes.map(() => 0);
  const sums = series.map(({ counts }) => counts.map((count, index) => (heights[index] += count)));
  return [[...minutes], ...sums.toReversed()];
}

function optionsOf({ series }, container, showReadout) {
  const style = getComputedStyle(container);
  const colour = (name) => style.getPropertyValue(name).trim();
  const axis = { stroke: colour('--muted'), font: `12px ${style.fontFamily}`, ticks: { show: false } };
  const grid = { stroke: colour('--line'), width: 1 };
  const bars = uPlot.paths.bars({ size: [0.8, 40] });
  return {
    ...sizeOf(container),
    padding: [8, HALF_LABEL_PX, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => showReadout(cursor.idx)] },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: {
      x: { range: (_, first, last) => [first - HALF_MINUTE_SECONDS, last + HALF_MINUTE_SECONDS] },
      y: { range: (_, __, max) => [0, Math.max(4, Math.ceil(max * 1.1))] },
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
  return TIME_FORMAT.format(new Date(seconds * 1000));
}
