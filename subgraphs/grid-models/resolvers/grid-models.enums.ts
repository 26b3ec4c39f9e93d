import { registerEnumType } from 'type-graphql';
import type * as domain from '../domain/difference-model';
import type { ContentEncoding, FileView } from '../domain/published-file';
import type { ObjectChangeKind } from '../domain/object-changes';

/** GraphQL names of {@link domain.CimFile}: the names on the wire, `EQ.xml`, as the graph spells them. */
export const CimFileEnum = { EQ_XML: 'EQ', SC_XML: 'SC', GL_XML: 'GL' } as const satisfies Record<
  string,
  domain.CimFile
>;
registerEnumType(CimFileEnum, {
  name: 'CimFile',
  description: 'A file of the archive of a development project.',
  valuesConfig: {
    EQ_XML: { description: 'EQ.xml: equipment.' },
    SC_XML: { description: 'SC.xml: short circuit data.' },
    GL_XML: { description: 'GL.xml: geographical locations.' },
  },
});

/** GraphQL names of {@link domain.DifferenceSection}. */
export const DifferenceSectionEnum = { FORWARD: 'forward', REVERSE: 'reverse' } as const satisfies Record<
  string,
  domain.DifferenceSection
>;
registerEnumType(DifferenceSectionEnum, {
  name: 'DifferenceSection',
  description: 'A section of a difference model.',
  valuesConfig: {
    FORWARD: { description: 'Objects, attributes and associations to add to the base model.' },
    REVERSE: { description: 'Objects, attributes and associations to delete from the base model.' },
  },
});

/** GraphQL names of {@link ObjectChangeKind}. */
export const ObjectChangeKindEnum = {
  ADDED: 'added',
  REMOVED: 'removed',
  CHANGED: 'changed',
} as const satisfies Record<string, ObjectChangeKind>;
registerEnumType(ObjectChangeKindEnum, {
  name: 'ObjectChangeKind',
  description: 'What becomes of an object.',
  valuesConfig: {
    ADDED: { description: 'It is new.' },
    REMOVED: { description: 'It is there no more.' },
    CHANGED: { description: 'It is there before and after, with other attributes or associations.' },
  },
});

/** GraphQL names of {@link FileView}. */
export const FileViewEnum = { RDF: 'rdf', JSON: 'json', ZIP: 'zip' } as const satisfies Record<string, FileView>;
registerEnumType(FileViewEnum, {
  name: 'FileView',
  description: 'A form in which a published file is served.',
  valuesConfig: {
    RDF: { description: 'RDF/XML, the bytes that were published.' },
    JSON: { description: 'The JSON view of a difference model.' },
    ZIP: { description: 'The archive, the bytes that were published.' },
  },
});

/** GraphQL names of {@link ContentEncoding}. */
export const ContentEncodingEnum = { IDENTITY: 'identity', GZIP: 'gzip' } as const satisfies Record<
  string,
  ContentEncoding
>;
registerEnumType(ContentEncodingEnum, {
  name: 'ContentEncoding',
  description: 'How the bytes of a representation are coded.',
  valuesConfig: {
    IDENTITY: { description: 'As they are.' },
    GZIP: { description: 'Compressed by gzip.' },
  },
});
