import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { packageFolder } from './package-folder';

/** A style, a script or a picture that pages load. */
export interface Asset {
  readonly name: string;
  readonly content: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Serves assets below a path that changes with their content, so that browsers may keep them. Answers that path. */
export function serveAssets(app: FastifyInstance, assets: readonly Asset[]): string {
  const digest = createHash('sha256');
  for (const { content } of assets) digest.update(content);
  const path = `/assets/${digest.digest('hex').slice(0, 16)}`;
  for (const { name, content } of assets) {
    app.get(`${path}/${name}`, (_request, reply) => {
      reply.removeHeader('content-security-policy');
      return reply
        .type(TYPES[extname(name)] as string)
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(content);
    });
  }
  return path;
}

/** A file of an installed package, without the reference to a source map that is not served. */
export function packageFile(name: string, path: string): string {
  return readFileSync(join(packageFolder(name), path), 'utf8').replace(/\/[/*]# sourceMappingURL=.*/g, '');
}
