import { emailViolations } from '../../../subgraphs/identity/records/personal-data-rules';
import {
  hintFromQuery,
  hintFromInput,
  isLongNumber,
  identifiesMeterPoint,
  identifiesCustomer,
} from '../../../web/portal/request/sign-in-hint';

const IR = `ir_${'a1'.repeat(12)}`;

describe('the query of a link to the portal', () => {
  it.each([
    ['an Identity Record', { ir: IR }, { ir: IR }],
    ['a meter point', { mpxn: '1012345678' }, { mpxn: '1012345678' }],
    ['a meter point in small letters', { mpxn: 'ab12345678' }, { mpxn: 'AB12345678' }],
    ['both: the Identity Record counts', { ir: IR, mpxn: '1012345678' }, { ir: IR }],
    [
      'a return URL in addition',
      { ir: IR, return: 'https://larkhill.example/back?x=1' },
      { ir: IR, returnUrl: 'https://larkhill.example/back?x=1' },
    ],
  ])('identifies %s', (_, query, entry) => {
    expect(hintFromQuery(query)).toEqual(entry);
  });

  it.each([
    ['an ir of another form', { ir: 'ir_1' }],
    ['an ir in capitals', { ir: IR.toUpperCase() }],
    ['an mpxn of another form', { mpxn: '12' }],
    ['the same twice', { mpxn: ['1012345678', '1012345678'] }],
    ['a script as return URL', { return: 'javascript:alert(1)' }],
    ['a path as return URL', { return: '/access' }],
    ['a return URL that is too long', { return: `https://larkhill.example/${'x'.repeat(2048)}` }],
    ['a return URL that is not a URI', { return: 'https://larkhill.example/é' }],
    ['a return URL with a space', { return: 'https://larkhill.example/a b' }],
    ['a return URL of quotes', { return: `https://larkhill.example/${'"'.repeat(2000)}` }],
  ])('with %s identifies no customer', (_, query) => {
    expect(hintFromQuery(query)).toEqual({});
  });
});

describe('a number of 13 digits', () => {
  it('in a link is reported if the register does not accept it', () => {
    expect(hintFromQuery({ mpxn: '1200050000000' }, 'spec')).toEqual({ hasLongNumber: true });
    expect(hintFromQuery({ mpxn: '1200050000009' }, 'gb')).toEqual({ mpxn: '1200050000009' });
    expect(hintFromQuery({ mpxn: '12 0005 0000 009' }, 'gb')).toEqual({ mpxn: '1200050000009' });
    expect(hintFromQuery({ mpxn: '1200050000001' }, 'gb')).toEqual({ hasLongNumber: true });
    expect(hintFromQuery({ mpxn: '12 0005 0000 000', ir: IR }, 'spec')).toEqual({ ir: IR });
  });

  it.each([
    ['is recognised in', '1200050000000', true],
    ['is recognised in', ' 12 0005-0000 000 ', true],
    ['does not occur in', '120005000000', false],
    ['does not occur in', '12000500000000', false],
    ['does not occur in', '120005000000a', false],
  ])('%s %j', (_, input, is) => expect(isLongNumber(input)).toBe(is));
});

describe('the input of a customer', () => {
  it.each([
    ['1012345678', { mpxn: '1012345678' }],
    [' 10 1234 5678 ', { mpxn: '1012345678' }],
    ['10-1234-5678', { mpxn: '1012345678' }],
    ['ab12345678', { mpxn: 'AB12345678' }],
    [' Ceri.Lloyd@customer.example ', { email: 'Ceri.Lloyd@customer.example' }],
  ])('%j is read as %j', (input, entry) => {
    expect(hintFromInput(input)).toEqual(entry);
  });

  it('of 13 digits is a meter point if the register accepts such numbers', () => {
    expect(hintFromInput('20 0000 0001 123')).toBeUndefined();
    expect(hintFromInput('2000 0000 01125', 'gb') ?? hintFromInput('1200050000000', 'gb')).toBeDefined();
  });

  it.each([
    ...['', '12', '@', 'a@b', 'a b@customer.example', `${'a'.repeat(260)}@customer.example`, '<b>'],
    ...['é@x.yz', 'a@b..c', 'a,b@c.de', '.a@b.cd', 'a@-b.cd', 'a@b.cd.', `${'a'.repeat(65)}@b.cd`, 'a@b@c.de'],
  ])('%j is rejected', (input) => {
    expect(hintFromInput(input)).toBeUndefined();
  });

  it.each(['a@b.cd', "o'neil+meter@sub.b-c.example", `${'a'.repeat(64)}@b.cd`, ' a@b.cd ', 'é@x.yz', 'a,b@c.de'])(
    'as the e-mail address %j is accepted by the pages exactly if the register accepts it',
    (input) => {
      expect(hintFromInput(input) !== undefined).toBe(emailViolations(['email'], input).length === 0);
    },
  );
});

describe('a sign-in hint', () => {
  it.each([
    ['without content identifies nothing', {}, false, false],
    ['with a return URL identifies nothing', { returnUrl: 'https://larkhill.example/' }, false, false],
    ['with an e-mail address identifies a customer', { email: 'ceri@customer.example' }, true, false],
    ['with an MPxN identifies a customer and a meter point', { mpxn: '1012345678' }, true, true],
    ['with an Identity Record identifies a customer and a meter point', { ir: IR }, true, true],
  ])('%s', (_, entry, isCustomer, isMeterPoint) => {
    expect([identifiesCustomer(entry), identifiesMeterPoint(entry)]).toEqual([isCustomer, isMeterPoint]);
  });
});
