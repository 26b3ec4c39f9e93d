import { join } from 'node:path';
import { Environment, FileSystemLoader } from 'nunjucks';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { packageFolder } from './package-folder';

/** Makes a page of a template and what it shows. */
export type Render = (view: string, context: Readonly<Record<string, unknown>>) => string;

/** Templates of the portal and components of the GOV.UK Design System; every value is escaped. */
export function templates(): Render {
  const folders = [join(REPOSITORY_ROOT, 'portal', 'views'), join(packageFolder('govuk-frontend'), 'dist')];
  const options = { autoescape: true, trimBlocks: true, lstripBlocks: true };
  const environment = new Environment(new FileSystemLoader(folders), options);
  return (view, context) => environment.render(`${view}.njk`, context);
}
