import { Button, ErrorSummary, createAll } from './components.js';

// The components only run where the browser can: they look for this class.
document.body.classList.add('js-enabled', 'govuk-frontend-supported');
createAll(ErrorSummary);
createAll(Button);
