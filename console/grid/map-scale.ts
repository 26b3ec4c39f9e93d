import type { MapPlane } from './map-plane';

/** A line of the map's grid: where, in hundredths of the picture, and the coordinate that it marks. */
export interface GridLine {
  readonly at: number;
  readonly label: string;
}

/** How long a bar of round length is: in hundredths of the picture's width. */
export interface ScaleBar {
  readonly width: number;
  readonly label: string;
}

/** Lines that a map has at most in each direction. */
const MOST_LINES = 5;

/** The largest step of 1, 2 or 5 times a power of ten in which a span has at most so many lines. */
export function roundStep(span: number, most: number): number {
  const least = span / most;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9)) ?? 10);
}

/** The lines of equal x: meridians, or eastings. */
export function linesOfX(plane: MapPlane): GridLine[] {
  const { west, east, south, isGeographic } = plane;
  const name = (x: number, step: number) => (isGeographic ? degrees(x, step, 'E', 'W') : metres(x, 'E'));
  return lines(west, east, name, (x) => plane.place({ x, y: south }).x);
}

/** The lines of equal y: parallels, or northings. */
export function linesOfY(plane: MapPlane): GridLine[] {
  const { south, north, west, isGeographic } = plane;
  const name = (y: number, step: number) => (isGeographic ? degrees(y, step, 'N', 'S') : metres(y, 'N'));
  return lines(south, north, name, (y) => plane.place({ x: west, y }).y);
}

function lines(
  from: number,
  to: number,
  name: (value: number, step: number) => string,
  place: (value: number) => number,
): GridLine[] {
  const step = roundStep(to - from, MOST_LINES);
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.floor(to / step) - first + 1);
  return Array.from({ length: count }, (_, index) => (first + index) * step).map((value) => ({
    at: place(value),
    label: name(value, step),
  }));
}

function degrees(value: number, step: number, positive: string, negative: string): string {
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const shown = Math.abs(value).toFixed(digits);
  return Number(shown) === 0 ? '0°' : `${shown}° ${value > 0 ? positive : negative}`;
}

function metres(value: number, direction: string): string {
  return `${Math.round(value).toLocaleString('en-GB')} ${direction}`;
}

/** The scale bar: at most a quarter of the width. */
export function scaleBar({ west, east, metresPerUnit }: MapPlane): ScaleBar {
  const across = (east - west) * metresPerUnit;
  const longest = across / 4;
  const power = 10 ** Math.floor(Math.log10(longest));
  const length = power * ([5, 2, 1].find((factor) => factor * power <= longest) ?? 1);
  const label =
    length >= 1000 ? `${(length / 1000).toLocaleString('en-GB')} km` : `${length.toLocaleString('en-GB')} m`;
  return { width: Math.round((length / across) * 10_000) / 100, label };
}
