import { Environment, FileSystemLoader } from 'nunjucks';

/** Makes a page of a template and what it shows. */
export type Render = (view: string, context: Readonly<Record<string, unknown>>) => string;

/** Templates of these folders; every value is escaped. */
export function templates(folders: readonly string[]): Render {
  const options = { autoescape: true, trimBlocks: true, lstripBlocks: true };
  const environment = new Environment(new FileSystemLoader([...folders]), options);
  return (view, context) => environment.render(`${view}.njk`, context);
}
