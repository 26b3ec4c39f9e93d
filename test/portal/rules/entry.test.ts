import { emailViolations } from '../../../subgraphs/identity/domain/email-address';
import {
  entryOfQuery,
  entryOfTyping,
  isLongNumber,
  namesMeterPoint,
  namesSomebody,
} from '../../../portal/request/entry';

const IR = `ir_${'a1'.repeat(12)}`;

describe('the query of a link to the portal', () => {
  it.each([
    ['an Identity Record', { ir: IR }, { ir: IR }],
    ['a meter point', { mpxn: '1012345678' }, { mpxn: '1012345678' }],
    ['both: the Identity Record counts', { ir: IR, mpxn: '1012345678' }, { ir: IR }],
    [
      'a return address beside it',
      { ir: IR, return: 'https://larkhill.example/back?x=1' },
      { ir: IR, returnUrl: 'https://larkhill.example/back?x=1' },
    ],
  ])('names %s', (_, query, entry) => {
    expect(entryOfQuery(query)).toEqual(entry);
  });

  it.each([
    ['an ir of another form', { ir: 'ir_1' }],
    ['an ir in capitals', { ir: IR.toUpperCase() }],
    ['an mpxn of another form', { mpxn: '12' }],
    ['the same twice', { mpxn: ['1012345678', '1012345678'] }],
    ['a script as return address', { return: 'javascript:alert(1)' }],
    ['a path as return address', { return: '/access' }],
    ['an endless return address', { return: `https://larkhill.example/${'x'.repeat(2048)}` }],
    ['a return address that is no URI', { return: 'https://larkhill.example/é' }],
    ['a return address with a space', { return: 'https://larkhill.example/a b' }],
    ['a return address of quotes', { return: `https://larkhill.example/${'"'.repeat(2000)}` }],
  ])('with %s names nothing', (_, query) => {
    expect(entryOfQuery(query)).toEqual({});
  });
});

describe('a number of 13 digits', () => {
  it('in a link says that it is one where the register does not take it', () => {
    expect(entryOfQuery({ mpxn: '1200050000000' }, 'spec')).toEqual({ hasLongNumber: true });
    expect(entryOfQuery({ mpxn: '1200050000009' }, 'gb')).toEqual({ mpxn: '1200050000009' });
    expect(entryOfQuery({ mpxn: '1200050000001' }, 'gb')).toEqual({ hasLongNumber: true });
    expect(entryOfQuery({ mpxn: '12 0005 0000 000', ir: IR }, 'spec')).toEqual({ ir: IR });
  });

  it.each([
    ['1200050000000', true],
    [' 12 0005-0000 000 ', true],
    ['120005000000', false],
    ['12000500000000', false],
    ['120005000000a', false],
  ])('%j is one: %s', (typed, is) => expect(isLongNumber(typed)).toBe(is));
});

describe('what somebody types', () => {
  it.each([
    ['1012345678', { mpxn: '1012345678' }],
    [' 10 1234 5678 ', { mpxn: '1012345678' }],
    ['10-1234-5678', { mpxn: '1012345678' }],
    ['ab12345678', { mpxn: 'AB12345678' }],
    [' Ceri.Lloyd@customer.example ', { email: 'Ceri.Lloyd@customer.example' }],
  ])('%j is understood', (typed, entry) => {
    expect(entryOfTyping(typed)).toEqual(entry);
  });

  it('of 13 digits is a meter point where the register accepts them', () => {
    expect(entryOfTyping('20 0000 0001 123')).toBeUndefined();
    expect(entryOfTyping('2000 0000 01125', 'gb') ?? entryOfTyping('1200050000000', 'gb')).toBeDefined();
  });

  it.each([
    ...['', '12', '@', 'a@b', 'a b@customer.example', `${'a'.repeat(260)}@customer.example`, '<b>'],
    ...['é@x.yz', 'a@b..c', 'a,b@c.de', '.a@b.cd', 'a@-b.cd', 'a@b.cd.', `${'a'.repeat(65)}@b.cd`, 'a@b@c.de'],
  ])('%j is not', (typed) => {
    expect(entryOfTyping(typed)).toBeUndefined();
  });

  it.each(['a@b.cd', "o'neil+meter@sub.b-c.example", `${'a'.repeat(64)}@b.cd`, ' a@b.cd ', 'é@x.yz', 'a,b@c.de'])(
    'as the e-mail address %j is one to the pages exactly when it is one to the register',
    (typed) => {
      expect(entryOfTyping(typed) !== undefined).toBe(emailViolations(['email'], typed).length === 0);
    },
  );
});

describe('an entry', () => {
  it.each([
    [{}, false, false],
    [{ returnUrl: 'https://larkhill.example/' }, false, false],
    [{ email: 'ceri@customer.example' }, true, false],
    [{ mpxn: '1012345678' }, true, true],
    [{ ir: IR }, true, true],
  ])('%j names somebody: %s, a meter point: %s', (entry, somebody, meterPoint) => {
    expect([namesSomebody(entry), namesMeterPoint(entry)]).toEqual([somebody, meterPoint]);
  });
});
