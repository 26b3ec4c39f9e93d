import { contactJourneys } from './chapters/contact-journeys';

contactJourneys('en');
