/* Runs a passkey ceremony: fetches options, calls the browser, submits the form. Only passkeys need this script. */
(() => {
  const { browserSupportsWebAuthn, startAuthentication, startRegistration } = window.SimpleWebAuthnBrowser;

  for (const form of document.querySelectorAll('form[data-passkey]')) {
    form.hidden = false;
    const button = form.querySelector('button');
    if (browserSupportsWebAuthn()) {
      form.addEventListener('submit', (event) => {
        if (form.elements.credential.value !== '') return;
        event.preventDefault();
        void run(form, button);
      });
    } else {
      button.hidden = true;
      tell(form, form.dataset.unsupported);
    }
  }

  async function run(form, button) {
    button.disabled = true;
    tell(form, '');
    wait(form, form.dataset.busy);
    try {
      const options = await optionsOf(form);
      const credential = isAssertion(options)
        ? await startAuthentication({ optionsJSON: options })
        : await startRegistration({ optionsJSON: options });
      form.elements.credential.value = JSON.stringify(credential);
      form.submit();
    } catch (error) {
      button.disabled = false;
      tell(form, textOf(form, error));
      button.focus();
    } finally {
      wait(form, '');
    }
  }

  async function optionsOf(form) {
    const body = new URLSearchParams({ 'form-token': form.elements['form-token'].value });
    const headers = { accept: 'application/json' };
    const answer = await fetch(form.dataset.options, { method: 'POST', body, headers, credentials: 'same-origin' });
    const content = await answer.json();
    if (!answer.ok) throw new Refusal(content.error);
    return content.options;
  }

  /* Only the options of a registration contain `user` (WebAuthn Level 3, section 5.4). */
  function isAssertion(options) {
    return options.user === undefined;
  }

  function textOf(form, error) {
    if (error instanceof Refusal && error.message !== '') return error.message;
    if (error.name === 'NotAllowedError' || error.name === 'AbortError') return form.dataset.cancelled;
    if (error.name === 'InvalidStateError') return form.dataset.exists;
    return form.dataset.failed;
  }

  function tell(form, text) {
    form.querySelector('[data-passkey-fault]').textContent = text;
  }

  function wait(form, text) {
    form.querySelector('[data-passkey-status]').textContent = text;
  }

  class Refusal extends Error {
    constructor(text) {
      super(typeof text === 'string' ? text : '');
    }
  }
})();
