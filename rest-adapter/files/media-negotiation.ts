import Negotiator from 'negotiator';
import type { FileRepresentation, FileView, PublishedFile } from './published-file';

/** Views of a file by media type of Interface C (decisions C.1). */
const VIEWS: Readonly<Record<string, FileView>> = {
  'application/rdf+xml': 'RDF',
  'application/xml': 'RDF',
  'text/xml': 'RDF',
  'application/json': 'JSON',
  'application/zip': 'ZIP',
};

/** Media types of a route. */
export interface MediaTypes {
  /** Returns the best media type for `Accept`, or undefined if none is acceptable. */
  choose(accept: string | undefined): MediaType | undefined;
}

/** A media type and its view of the file. */
export interface MediaType {
  readonly contentType: string;
  readonly view: FileView;
}

/**
 * Prepares the media types of a response, the preferred one first. Text is UTF-8, with or without a `charset` in
 * `Accept`.
 */
export function mediaTypes(names: readonly string[], problems: string[]): MediaTypes {
  const offered = new Map<string, MediaType>();
  for (const name of names) {
    const view = VIEWS[name];
    if (view === undefined) problems.push(`no view of a file has the media type ${name}`);
    else if (view === 'ZIP') offered.set(name, { contentType: name, view });
    else {
      const contentType = `${name}; charset=utf-8`;
      for (const form of [name, contentType]) offered.set(form, { contentType, view });
    }
  }
  const forms = [...offered.keys()];
  const preferred = offered.get(forms[0] ?? '');
  return {
    choose: (accept) =>
      accept === undefined || accept === '*/*' || accept.trim() === ''
        ? preferred
        : offered.get(new Negotiator({ headers: { accept } }).mediaType(forms) ?? ''),
  };
}

/**
 * Returns the representation of a view: compressed if it is stored so and the client accepts gzip, unless the request
 * has a range.
 */
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
