import { launchPostgres } from '../../sandbox/postgres/launch-postgres';

/**
 * An instance of the product reduced to its PostgreSQL, as a process of its own:
 * `node -r ./test/support/swc-register.js test/support/postgres-instance.ts <DATA_DIR> [<shared directory>]`.
 * Prints one line of JSON: `{url, pid}` once it runs, `{refused}` when it may not. SIGINT stops it, any number of times.
 */
async function main([dataDir = '', sharedDir]: string[]): Promise<void> {
  const print = (facts: unknown) => process.stdout.write(`${JSON.stringify(facts)}\n`);
  const log = { warn: () => undefined, error: () => undefined };
  try {
    const server = await launchPostgres({ dataDir, sharedDir, log });
    process.on('SIGINT', () => void server.stop());
    print({ url: server.url, pid: server.pid });
  } catch (error) {
    print({ refused: error instanceof Error ? error.message : String(error) });
  }
}

void main(process.argv.slice(2));
