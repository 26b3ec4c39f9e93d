import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A Data User's site to which customers return. */
export interface ReturnSite {
  /** The registered return URL. */
  readonly url: string;
  /** Query strings of the requests, oldest first. */
  readonly returns: URLSearchParams[];
  close(): Promise<void>;
}

/** Starts a site that records the requests for one path. */
export async function startReturnSite(path = '/return'): Promise<ReturnSite> {
  const returns: URLSearchParams[] = [];
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname === path) returns.push(url.searchParams);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<!doctype html><html lang="en"><title>Welcome back</title><h1>Welcome back</h1></html>');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}${path}`,
    returns,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
