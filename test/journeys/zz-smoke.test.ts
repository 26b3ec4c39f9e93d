import { startTestRegister } from '../support/register';
it.each(['one process', 'a process each'] as const)('starts %s', async (w) => {
  const t = performance.now();
  const r = await startTestRegister(w);
  console.error(w, performance.now() - t, r.rest, r.gateway, r.sandbox.accounts.length);
  const a = await fetch(`${r.rest}/v1/access-records/${r.sandbox.samples.access_keys.active}`);
  console.error(a.status, [...a.headers], await a.text());
  console.error(r.log().slice(0, 1500));
  await r.close();
});
