import { connections } from './chapters/connections';
import { fileUploads } from './chapters/file-uploads';
import { files } from './chapters/files';
import { fuzz } from './chapters/fuzz';
import { reidentificationRequests } from './chapters/reidentification';
import { adapterRequests } from './chapters/requests';
import { surface } from './chapters/surface';
import { tariffs } from './chapters/tariffs';
import { webhooks } from './chapters/webhooks';

/** Chapters share one file, so that the product is loaded once. */
describe('Connections', () => {
  connections();
});
describe('Requests', () => {
  adapterRequests();
});
describe('The surface', () => {
  surface();
});
describe('Re-identification', () => {
  reidentificationRequests();
});
describe('Webhooks', () => {
  webhooks();
});
describe('Tariffs', () => {
  tariffs();
});
describe('Files', () => {
  files();
});
describe('Uploads', () => {
  fileUploads();
});
describe('Bodies of any form', () => {
  fuzz();
});
