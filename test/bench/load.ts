import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import autocannon from 'autocannon';

/**
 * A request that is sent repeatedly. In path, body and headers, `{key}` is replaced by a random one of `keys`, and
 * `{new}` by a unique text.
 */
export interface Load {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly keys: readonly string[];
}

/** Result of one round of load. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Connections and duration of a load. */
export interface Pressure {
  readonly connections: number;
  readonly seconds: number;
  /** Mean of the random pauses of a connection before each request; default: none. */
  readonly pauseMs?: number;
}

/**
 * Sends the load over keep-alive connections, by `wrk` if it is installed; a response other than 2xx ends the bench.
 */
export async function sendLoad(url: string, load: Load, pressure: Pressure): Promise<LoadResult> {
  const { failures, ...result } = await (agent() === 'wrk'
    ? byWrk(url, load, pressure)
    : byAutocannon(url, load, pressure));
  if (failures > 0 || result.requests === 0) {
    throw new Error(`${failures} of ${result.requests} responses of ${url}${load.path} were failures`);
  }
  return result;
}

type Counted = LoadResult & { readonly failures: number };

let chosen: 'wrk' | 'autocannon' | undefined;

/** Returns the program that sends the load. */
export function agent(): 'wrk' | 'autocannon' {
  return (chosen ??= isInstalled('wrk') ? 'wrk' : 'autocannon');
}

/** Returns whether a program is installed. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function byWrk(url: string, load: Load, { connections, seconds, pauseMs }: Pressure): Promise<Counted> {
  const folder = mkdtempSync(join(tmpdir(), 'register-load-'));
  try {
    writeFileSync(join(folder, 'keys'), `${load.keys.join('\n')}\n`);
    writeFileSync(join(folder, 'load.lua'), luaScript(load, join(folder, 'keys'), pauseMs));
    const options = [
      '--threads',
      '1',
      '--connections',
      String(connections),
      '--duration',
      `${seconds}s`,
      '--timeout',
      '10s',
    ];
    const { stdout } = await promisify(execFile)('wrk', [...options, '--script', join(folder, 'load.lua'), url]);
    const result = /^result (.*)$/m.exec(stdout)?.[1];
    if (result === undefined) throw new Error(`wrk printed no result: ${stdout}`);
    return JSON.parse(result) as Counted;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Writes the load as a script of wrk: texts are split at their placeholders once, so that a request costs the load
 * generator little.
 */
function luaScript({ method, path, headers = {}, body = '' }: Load, keysFile: string, pauseMs?: number): string {
  const text = (value: string) => `[==[${value}]==]`;
  const headerLines = Object.entries(headers).map(([name, value]) => `[ ${text(name)} ] = ${text(value)}`);
  return `
math.randomseed(tonumber("${randomBytes(3).toString('hex')}", 16))
local run, number, keys = "${randomBytes(6).toString('hex')}", 0, {}
for line in io.lines(${text(keysFile)}) do keys[#keys + 1] = line end
local function cut(template)
  local parts, from = {}, 1
  while true do
    local first, last, name = template:find("{(%l+)}", from)
    if not first then parts[#parts + 1] = template:sub(from) return parts end
    parts[#parts + 1], parts[#parts + 2], from = template:sub(from, first - 1), name, last + 1
  end
end
local function fill(parts, key)
  if #parts == 1 then return parts[1] end
  local filled = {}
  for i, part in ipairs(parts) do
    if i % 2 == 1 then filled[i] = part
    elseif part == "key" then filled[i] = key
    else filled[i] = run .. number end
  end
  return table.concat(filled)
end
local path, body, headers = cut(${text(path)}), cut(${text(body)}), {}
for name, value in pairs({ ${headerLines.join(', ')} }) do headers[name] = cut(value) end
request = function()
  local key, sent = keys[math.random(#keys)], {}
  number = number + 1
  for name, parts in pairs(headers) do sent[name] = fill(parts, key) end
  return wrk.format("${method}", fill(path, key), sent, ${body === '' ? 'nil' : 'fill(body, key)'})
end
${pauseMs === undefined ? '' : `delay = function() return math.random(0, ${Math.round(2 * pauseMs)}) end`}
done = function(summary, latency)
  local e = summary.errors
  print(string.format('result {"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"failures":%d}', summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, e.status + e.connect + e.read + e.write + e.timeout))
end
`;
}

async function byAutocannon(
  url: string,
  { method, path, headers = {}, body, keys }: Load,
  pressure: Pressure,
): Promise<Counted> {
  let number = 0;
  const run = randomBytes(6).toString('hex');
  const fill = (text: string, key: string) => text.replaceAll('{key}', key).replaceAll('{new}', `${run}${number}`);
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const key = keys[Math.floor(Math.random() * keys.length)] as string;
    number += 1;
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value, key)]));
    return {
      ...request,
      method,
      path: fill(path, key),
      headers: sent,
      ...(body === undefined ? {} : { body: fill(body, key) }),
    };
  };
  const result = await autocannon({
    url,
    connections: pressure.connections,
    duration: pressure.seconds,
    ...(pressure.pauseMs === undefined
      ? {}
      : { overallRate: Math.round((pressure.connections * 1_000) / pressure.pauseMs) }),
    requests: [{ setupRequest }],
  });
  const { non2xx, errors, requests, duration, latency } = result;
  return { requests: requests.total, seconds: duration, p50: latency.p50, p99: latency.p99, failures: non2xx + errors };
}
