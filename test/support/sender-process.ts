import { callbackSender } from '../../subgraphs/delivery/requests/sender';

/**
 * The sender in a separate process, which trusts the certificates in its environment. Sends a POST to each URL, one
 * after the other, and prints the results as JSON: `node -r ./test/support/swc-register.js
 * test/support/sender-process.ts <url>…`.
 */
async function main(urls: string[]): Promise<void> {
  const sender = callbackSender({ allowLoopback: true, exchangeMs: 3_000 });
  const results = [];
  for (const url of urls) results.push(await sender.send({ url, headers: {}, body: '{}' }));
  sender.close();
  process.stdout.write(JSON.stringify(results));
}

void main(process.argv.slice(2));
