import { Button, ErrorSummary, createAll } from './components.js';

// The components run only if this class is present, which shows that the browser supports them.
document.body.classList.add('js-enabled', 'govuk-frontend-supported');
createAll(ErrorSummary);
createAll(Button);
