import { contactJourneys } from './chapters/contact-journeys';

contactJourneys('cy');
