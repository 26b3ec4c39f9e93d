import { launchPostgres } from '../../sandbox/postgres/launch-postgres';

/**
 * Runs the embedded PostgreSQL without the rest of the product, in a separate process:
 * `node -r ./test/support/swc-register.js test/support/postgres-instance.ts <DATA_DIR> [<shared directory>]`.
 * Prints one line of JSON: `{url, pid}` when the server runs, `{error}` if the launch fails. Each SIGINT requests its stop.
 */
async function main([dataDir = '', sharedDir]: string[]): Promise<void> {
  const print = (report: unknown) => process.stdout.write(`${JSON.stringify(report)}\n`);
  const log = { warn: () => undefined, error: () => undefined };
  try {
    const server = await launchPostgres({ dataDir, sharedDir, log });
    process.on('SIGINT', () => void server.stop());
    print({ url: server.url, pid: server.pid });
  } catch (error) {
    print({ error: error instanceof Error ? error.message : String(error) });
  }
}

void main(process.argv.slice(2));
