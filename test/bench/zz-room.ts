import { benchContext } from './bench-context';
async function main() { const c = benchContext(2); const r = await c.register(); console.log(JSON.stringify({ url: r.databaseUrl, rest: r.rest, gateway: r.gateway, bare: r.bare, key: r.rows.accessKeys[0], token: r.token })); process.on('SIGINT', () => void c.close().then(() => process.exit(0))); setInterval(() => 0, 1000); }
main();
