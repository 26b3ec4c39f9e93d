import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { type ConsumerParties, consumerParties } from '../support/consumer-parties';
import { contractAnswers } from '../support/contract-answers';
import { type ExchangePlayer, exchangePlayer } from '../support/exchange-player';
import { readExchanges } from '../support/http-file';
import type { Variables } from '../support/placeholders';
import { type TestRegister, type Wiring, startTestRegister } from '../support/register';

const WIRINGS: Wiring[] = ['one process', 'a process each'];
const contract = contractAnswers();

const filesOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.http'))
    .map((name) => ({ name, exchanges: readExchanges(join(folder, name)) }));

/** Files that ask for rate limits are played against a register that has them. */
const FOLDERS = [
  { rates: 'without rate limits', folder: __dirname, environment: {} },
  { rates: 'with rate limits', folder: join(__dirname, 'limited'), environment: { RATE_LIMITS: 'on' } },
];

const had = new Map(WIRINGS.map((wiring) => [wiring, new Set<string>()]));

describe.each(WIRINGS)('The register, %s,', (wiring) => {
  describe.each(FOLDERS)('$rates', ({ folder, environment }) => {
    let register: TestRegister;
    let parties: ConsumerParties;
    let player: ExchangePlayer;
    beforeAll(async () => {
      register = await startTestRegister(wiring, { environment });
      parties = await consumerParties(register);
      player = await exchangePlayer(register, contract, parties);
    });
    afterAll(async () => {
      player.had.forEach((answer) => had.get(wiring)?.add(answer));
      await parties.close();
      await register.close();
    });

    describe.each(filesOf(folder))('$name', ({ exchanges }) => {
      let variables: Variables;
      beforeAll(() => {
        variables = new Map(player.variables);
      });
      afterAll(() => setClockBack(register.databaseUrl));
      it.each(exchanges)('$title', async (exchange) => {
        expect(await player.play(exchange, variables)).toEqual([]);
      });
    });
  });

  /** Internal errors and absent dependencies are shown by the tests of reliability, an archive of 192 MiB by those of files. */
  const promised = contract.all.filter((answer) => !/ (500|503)$|^uploadArchive 413$/.test(answer));
  it.each(promised)('has given the answer that the OpenAPI document promises: %s', (answer) => {
    expect([...(had.get(wiring) ?? [])]).toContain(answer);
  });
});

/** A file that fails half way must not leave the others in another time. */
async function setClockBack(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('select register.set_clock_offset(0)');
  await client.end();
}
