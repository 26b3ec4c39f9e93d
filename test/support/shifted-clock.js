/** Loaded before a process: moves its clock CLOCK_SHIFT_MS milliseconds ahead of the machine's. */
const shift = Number(process.env.CLOCK_SHIFT_MS);
const MachineDate = Date;
const now = () => MachineDate.now() + shift;

globalThis.Date = new Proxy(MachineDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new MachineDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : target[name]),
});
