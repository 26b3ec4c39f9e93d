import { type ChildProcess, spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SERVICES, SERVICE_KEY_VARIABLES, SUBGRAPHS } from '../../process/settings/keys';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import type { ServiceName } from '../../subgraphs/server/callers/caller';
import { type ServiceIdentity, publicKeyText, serviceIdentity } from '../../subgraphs/server/link/service-identity';
import { codeBlocks } from './documents';
import { childEnvironment } from './run/left-processes';

/** The identity of a service of a sandbox, by the keys of its data folder. */
export function identityOf(dataDir: string, service: ServiceName): ServiceIdentity {
  const keys = JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8')) as Record<string, string>;
  const keyOf = (name: ServiceName) => {
    const der = Buffer.from(String(keys[SERVICE_KEY_VARIABLES[name]]), 'base64');
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  };
  const publicKeys = new Map(SERVICES.map((name) => [publicKeyText(keyOf(name)), name]));
  return serviceIdentity(service, keyOf(service), publicKeys);
}

/** Writes the files of docs/other-routers.md to the data folder: the key of the gateway, and the subgraphs' certificates. */
function writeRouterFiles(dataDir: string): void {
  const { key, cert } = identityOf(dataDir, 'gateway');
  writeFileSync(join(dataDir, 'gateway.key'), key, { mode: 0o600 });
  writeFileSync(join(dataDir, 'gateway.crt'), cert);
  writeFileSync(join(dataDir, 'services.crt'), SUBGRAPHS.map((service) => identityOf(dataDir, service).cert).join(''));
}

/** Starts Hive Gateway with the documented configuration; the ports are those of the subgraphs. */
export async function startHiveGateway(
  dataDir: string,
  ports: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  writeRouterFiles(dataDir);
  const config = join(dataDir, 'gateway.config.cjs');
  writeFileSync(config, codeBlocks('docs/other-routers.md', 'js').join('\n'));
  const url = (variable: string) => `https://localhost:${ports[variable]}`;
  const child: ChildProcess = spawn(process.execPath, [join(__dirname, 'hive-gateway.js'), config], {
    env: childEnvironment({
      TLS_FOLDER: dataDir,
      SUPERGRAPH: join(REPOSITORY_ROOT, 'schema', 'generated', 'supergraph.graphql'),
      ACCESS_URL: url('ACCESS_PORT'),
      IDENTITY_URL: url('IDENTITY_PORT'),
      GRID_MODELS_URL: url('GRID_MODELS_PORT'),
      TARIFFS_URL: url('TARIFFS_PORT'),
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const [, port] = /^ready (\d+)$/.exec(line) ?? [];
    if (port !== undefined) return { url: `http://127.0.0.1:${port}`, stop };
  }
  throw new Error('Hive Gateway ended before it was ready');
}
