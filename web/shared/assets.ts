import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { packageFolder } from './package-folder';

/** A style sheet, a script or a picture that pages load. */
export interface Asset {
  readonly name: string;
  readonly content: string;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Serves assets for a year of caching, below a path that contains a digest of their content. Returns that path. During an upgrade, the page of
 * a replica of another release names another digest: it receives the present content, which no cache stores.
 */
export function serveAssets(app: FastifyInstance, assets: readonly Asset[]): string {
  const digest = createHash('sha256');
  for (const { content } of assets) digest.update(content);
  const path = `/assets/${digest.digest('hex').slice(0, 16)}`;
  for (const { name, content } of assets) {
    const send = (cacheControl: string) => (_request: unknown, reply: FastifyReply) => {
      reply.removeHeader('content-security-policy');
      return reply
        .type(CONTENT_TYPES[extname(name)] as string)
        .header('cache-control', cacheControl)
        .send(content);
    };
    app.get(`${path}/${name}`, send('public, max-age=31536000, immutable'));
    app.get(`/assets/:digest(^[0-9a-f]{16}$)/${name}`, send('no-store'));
  }
  return path;
}

/** Reads files of `web/<service>/assets/` as assets. */
export function ownAssets(service: string, ...names: readonly string[]): Asset[] {
  const folder = join(REPOSITORY_ROOT, 'web', service, 'assets');
  return names.map((name) => ({ name, content: readFileSync(join(folder, name), 'utf8') }));
}

/** Reads a file of an installed package and removes the reference to its source map, which is not served. */
export function packageFile(name: string, path: string): string {
  return readFileSync(join(packageFolder(name), path), 'utf8').replace(/\/[/*]# sourceMappingURL=.*/g, '');
}
