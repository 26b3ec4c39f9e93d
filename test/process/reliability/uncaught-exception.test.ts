import { join } from 'node:path';
import { placeOf, spawnRegisterProcess } from '../../support/register';

const UNHANDLED_REJECTION = join(__dirname, '..', '..', 'support', 'unhandled-rejection.js');

describe('An error that nothing handles', () => {
  it('ends the process with one log line, without the message, which may quote personal data', async () => {
    const place = await placeOf();
    const service = spawnRegisterProcess({
      ...place.environment,
      SERVICES: 'grid-models',
      GRID_MODELS_PORT: '0',
      NODE_OPTIONS: `--require ${UNHANDLED_REJECTION}`,
    });
    try {
      await service.ready;
      const before = service.output().length;
      service.child.kill('SIGUSR2');
      expect(await service.ended).toBe(1);
      const lines = service.output().slice(before).trim().split('\n');
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
        expect.objectContaining({
          level: 60,
          failure: { kind: 'Error', at: expect.arrayContaining([expect.stringContaining('unhandled-rejection.js')]) },
          msg: 'uncaught exception: the process ends',
        }),
      ]);
    } finally {
      await service.kill();
      await place.remove();
    }
  });
});
