/* usage: hot.ts <verify|list|federated|register> <connections,…> [rounds] [seconds] */
import { benchContext, productSide, bareSide } from '/work/main/test/bench/bench-context';
import { verifyLoad } from '/work/main/test/bench/benches/verify';
import { listLoad } from '/work/main/test/bench/benches/list';
import { interleaved } from '/work/main/test/bench/rounds';
import { compared, lineOf } from '/work/main/test/bench/verdict';
import { REGISTRATION } from '/work/main/test/bench/bare/registration-body';
async function main() {
  const [names = 'verify', conns = '32', rounds = '3', seconds = '2'] = process.argv.slice(2);
  const c = benchContext(2);
  const room = await c.room(); const reg = await c.register();
  try {
    for (const name of names.split(',')) {
      const auth = { authorization: `Bearer ${reg.token}`, 'content-type': 'application/json' };
      const load = name === 'verify' ? verifyLoad(reg) : name === 'list' ? listLoad(reg) : name === 'federated'
        ? { method: 'POST' as const, path: '/graphql', headers: auth, body: JSON.stringify({ documentId: 'ReadAccessRecordWithParties', variables: { ak: '{key}' } }), keys: reg.rows.accessKeys }
        : { method: 'POST' as const, path: '/v1/access-records', headers: { ...auth, 'idempotency-key': '{new}' }, body: JSON.stringify(REGISTRATION), keys: reg.rows.identityRecords };
      const sides = [productSide(room, reg, load, name === 'federated' ? reg.gateway : reg.rest), bareSide(room, reg, load)];
      const only = process.env.ONLY === 'ours' ? sides.slice(0, 1) : process.env.ONLY === 'bare' ? sides.slice(1) : sides;
      for (const n of conns.split(',').map(Number)) {
        const figures = await interleaved(only, { connections: n, rounds: Number(rounds), seconds: Number(seconds) });
        if (figures.length === 1) console.log(name, n, JSON.stringify(figures[0]));
        else console.log(lineOf(compared(name, figures[0]!, { name: 'bare', figures: figures[1]! }, n)));
      }
    }
  } finally { await c.close(); }
}
main();
