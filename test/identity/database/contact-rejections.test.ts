import { contactRejections } from './chapters/contact-rejections';

describe('Contacts that a malicious Data User asserted', () => {
  contactRejections();
});
