import Negotiator from 'negotiator';
import type { FileRepresentation, FileView, PublishedFile } from './published-file';

/** What the media types of Interface C stand for (3-decisions-c-d.md, C.1). */
const VIEWS: Readonly<Record<string, FileView>> = {
  'application/rdf+xml': 'RDF',
  'application/xml': 'RDF',
  'text/xml': 'RDF',
  'application/json': 'JSON',
  'application/zip': 'ZIP',
};

/** The media types of a route, as they are negotiated. */
export interface MediaTypes {
  /** The one that suits `Accept` best; undefined: none does. */
  chosen(accept: string | undefined): MediaType | undefined;
}

/** A media type, and the view of the file that it asks for. */
export interface MediaType {
  readonly contentType: string;
  readonly view: FileView;
}

/** The media types of an answer of the contract, the preferred one first; whatever is text is UTF-8, said or not. */
export function mediaTypes(names: readonly string[], problems: string[]): MediaTypes {
  const offered = new Map<string, MediaType>();
  for (const name of names) {
    const view = VIEWS[name];
    if (view === undefined) problems.push(`no view of a file is ${name}`);
    else if (view === 'ZIP') offered.set(name, { contentType: name, view });
    else {
      const contentType = `${name}; charset=utf-8`;
      for (const form of [name, contentType]) offered.set(form, { contentType, view });
    }
  }
  const forms = [...offered.keys()];
  const preferred = offered.get(forms[0] ?? '');
  return {
    chosen: (accept) =>
      accept === undefined || accept === '*/*' || accept.trim() === ''
        ? preferred
        : offered.get(new Negotiator({ headers: { accept } }).mediaType(forms) ?? ''),
  };
}

/** The representation of a view: compressed where the client takes that and it is kept so, unless a part is asked for. */
export function representationOf(
  { representations }: PublishedFile,
  view: FileView,
  headers: { readonly 'accept-encoding'?: string | string[] | undefined; readonly range?: string | undefined },
): FileRepresentation | undefined {
  const ofView = representations.filter((each) => each.view === view);
  const compressed = ofView.find(({ encoding }) => encoding === 'GZIP');
  if (compressed && headers.range === undefined && takesGzip(headers)) return compressed;
  return ofView.find(({ encoding }) => encoding === 'IDENTITY');
}

function takesGzip(headers: { readonly 'accept-encoding'?: string | string[] | undefined }): boolean {
  const encoding = headers['accept-encoding'];
  return (
    encoding !== undefined &&
    new Negotiator({ headers: { 'accept-encoding': encoding } }).encoding(['gzip', 'identity']) === 'gzip'
  );
}
