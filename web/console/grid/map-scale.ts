import { counted, rounded } from '../format';
import type { MapPlane } from './map-plane';

/** A line of equal x or y: its position in percent of the picture, and its coordinate. */
interface GridLine {
  readonly at: number;
  readonly label: string;
}

/** Maximum number of lines in each direction. */
const MAX_LINES = 5;

/** Returns the smallest step of 1, 2 or 5 times a power of ten for which a span has at most `max` lines. */
export function roundStep(span: number, max: number): number {
  const least = span / max;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9)) ?? 10);
}

/** Returns the lines of equal x: meridians, or eastings. */
export function linesOfX(plane: MapPlane): GridLine[] {
  const { west, east, south, isGeographic } = plane;
  const name = (x: number, step: number) => (isGeographic ? degrees(x, step, 'E', 'W') : metres(x, 'E'));
  return lines(west, east, name, (x) => plane.place({ x, y: south }).x);
}

/** Returns the lines of equal y: parallels, or northings. */
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
  const step = roundStep(to - from, MAX_LINES);
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
  return `${counted(Math.round(value))} ${direction}`;
}

/** Returns a bar of a round length, at most a quarter of the picture's width: its width is in percent of the picture's. */
export function scaleBar({ west, east, metresPerUnit }: MapPlane) {
  const across = (east - west) * metresPerUnit;
  const maxLength = across / 4;
  const power = 10 ** Math.floor(Math.log10(maxLength));
  const length = power * ([5, 2, 1].find((factor) => factor * power <= maxLength) ?? 1);
  const label = length >= 1000 ? `${counted(length / 1000)} km` : `${counted(length)} m`;
  return { width: rounded((length / across) * 100), label };
}
