import { errorCatalogue } from '../../../schema/error-catalogue';
import { FINDING_WORDS } from '../grid/findings';
import { PERIOD_MONTHS, publicationName } from '../grid/labels';
import { GRID_CHECK_PATH } from '../grid/project-address';
import { textOf, withQuery } from '../request/query';
import { OperationError, hasErrorCode } from '../../shared/operation-error';
import type { View } from '../../shared/page-response';
import { type PageContext, get, post } from '../page';

/** The form of an admin who wants to check an archive before it is published; the links of a project and of the check fill it in. */
export const gridCheckPage = get(GRID_CHECK_PATH, (context) => {
  const field = (name: string) => textOf(context.query[name]) ?? '';
  const [area, year, project] = [field('area'), field('year'), field('project')];
  return formView(context, { area, year, period: field('period') || '01', project, base: field('base') });
});

/** Requests an upload address, to which a script of the page sends the archive. Nothing is published. */
export const gridCheckForm = post(GRID_CHECK_PATH, async (context) => {
  const entered = enteredIn(context.form);
  try {
    const { address } = await prepare(context, entered);
    const { filesUrl } = context;
    return {
      view: 'grid/check',
      connectsTo: new URL(filesUrl).origin,
      model: {
        entered,
        formAddress: withQuery(GRID_CHECK_PATH, { ...entered }),
        target: `${filesUrl}${address}/check`,
        publication: publicationName(Number(entered.year), entered.period),
        words: Object.entries(FINDING_WORDS).map(([kind, words]) => ({ ...words, kind: wireKind(kind) })),
      },
    };
  } catch (error) {
    if (hasErrorCode(error, 'VAL001', 'VAL003', 'VAL011'))
      return formView(context, entered, errorCatalogue[error.code].status);
    throw error;
  }
});

/** Fields of the form, as entered; `base` is `yes` for a base model. */
interface Entered {
  readonly area: string;
  readonly year: string;
  readonly period: string;
  readonly project: string;
  readonly base: string;
}

function enteredIn(form: Readonly<Record<string, string>>): Entered {
  const field = (name: string) => (form[name] ?? '').trim();
  return {
    ...{ area: field('area'), year: field('year') },
    period: field('period'),
    project: field('project'),
    base: field('base'),
  };
}

async function formView({ execute, session }: PageContext, entered: Entered, status = 200): Promise<View> {
  if (session === undefined) throw new OperationError('AUT001');
  if (session.role !== 'ADMIN') throw new OperationError('PRM001');
  const { areas } = await execute('ReadGridAreas', {});
  return {
    view: 'grid/check-form',
    model: {
      entered,
      error:
        status === 200
          ? undefined
          : 'Check the year, and the project: at most 24 letters, digits, dots, dashes and underscores.',
      areas: areas.toSorted((one, other) => one.name.localeCompare(other.name)),
      periods: Object.entries(PERIOD_MONTHS).map(([value, month]) => ({ value, month })),
    },
    status,
  };
}

async function prepare({ executeAsAccount }: PageContext, { area, year, period, project, base }: Entered) {
  const cycle = { area, publicationYear: /^\d{4}$/.test(year) ? Number(year) : 0, period };
  const { upload } =
    base === 'yes'
      ? await executeAsAccount('PrepareBaseModelPublication', { input: cycle })
      : await executeAsAccount('PrepareGridPublication', { input: { ...cycle, projectId: project } });
  return upload;
}

/** Returns the name of a kind of finding in Interface C: `missing-statement`. */
const wireKind = (kind: string): string => kind.toLowerCase().replaceAll('_', '-');
