import { ORDER_OF_CHECKS } from '../../../rest-adapter/responses/error-response';
import { errorCatalogue } from '../../../schema/error-catalogue';

describe('The order of checks', () => {
  it('includes every code of the catalogue once', () => {
    expect([...ORDER_OF_CHECKS].toSorted()).toEqual(Object.keys(errorCatalogue).toSorted());
  });

  it('is that of the decisions, by status', () => {
    const statuses = ORDER_OF_CHECKS.map((code) => errorCatalogue[code].status);
    expect(statuses.filter((status, index) => status !== statuses[index - 1])).toEqual([
      401, 429, 403, 406, 415, 413, 400, 503, 500, 404, 405, 403, 409, 412, 422,
    ]);
  });
});
