import { type Bench, type BenchContext, SMALL, bareSide, productSide } from '../bench-context';
import type { BenchRegister, BenchRoom } from '../bench-room';
import { BARE_MARGIN, LIMITS, ROUNDS } from '../limits';
import type { Load } from '../load';
import { type Figures, interleaved, warmUp } from '../rounds';
import { type Measurement, compared } from '../verdict';
import { listLoad } from './list';
import { verifyLoad } from './verify';

const LARGE = 1_000_000;

/** Verifying and listing among a million records, against the product itself among ten thousand. */
export const scale: Bench = async (context) => {
  const { room } = context;
  const small = await context.register();
  const large = await room.register(LARGE);
  const compare = (name: string, load: (register: BenchRegister) => Load) =>
    grown(name, room, { small, large }, load, context);
  return [await compare('verify-1m', verifyLoad), await compare('list-1m', listLoad)];
};

async function grown(
  name: string,
  room: BenchRoom,
  { small, large }: { small: BenchRegister; large: BenchRegister },
  load: (register: BenchRegister) => Load,
  { seconds }: BenchContext,
): Promise<Measurement> {
  const registers = [large, small];
  const sides = [
    ...registers.map((each) => productSide(room, each, load(each))),
    ...registers.map((each) => bareSide(room, each, load(each))),
  ];
  await warmUp(sides, seconds);
  const figures = await interleaved(sides, { connections: 32, rounds: ROUNDS, seconds });
  const [ours, oursSmall, bare, bareSmall] = figures as [Figures, Figures, Figures, Figures];
  const ofBare = compared(name, bare, { name: 'bare', figures: bareSmall }, 32).ratio;
  const limit = Math.max(LIMITS[name] ?? 0, ofBare - BARE_MARGIN);
  const measurement = compared(name, ours, { name: `product-${SMALL}-records`, figures: oursSmall }, 32, limit);
  return { ...measurement, beside: { ...measurement.beside, 'bare-ratio': Number(ofBare.toFixed(3)) } };
}
