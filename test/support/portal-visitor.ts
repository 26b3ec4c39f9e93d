/** A page, as a browser without scripts receives it. */
export interface VisitedPage {
  readonly status: number;
  readonly headers: Headers;
  /** The `Location` header as received. */
  readonly location: string | undefined;
  readonly html: string;
  /** The text without tags. */
  readonly text: string;
  readonly forms: readonly VisitedForm[];
}

/** A form of a page. */
export interface VisitedForm {
  readonly action: string;
  /** Its hidden fields. */
  readonly fields: Readonly<Record<string, string>>;
  readonly buttons: number;
}

/** A browser without scripts at the portal. It stores cookies and does not follow redirects. */
export class PortalVisitor {
  readonly cookies = new Map<string, string>();

  constructor(readonly portal: string) {}

  get(path: string, headers: Record<string, string> = {}): Promise<VisitedPage> {
    return this.send('GET', path, headers);
  }

  head(path: string): Promise<VisitedPage> {
    return this.send('HEAD', path, {});
  }

  /** Posts fields with the headers of a same-origin form; `headers` overrides them. */
  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<VisitedPage> {
    const own = { origin: new URL(this.portal).origin, 'sec-fetch-site': 'same-origin' };
    return this.send('POST', path, { ...own, ...headers }, new URLSearchParams(fields));
  }

  /** Submits the form with this action. */
  press({ forms }: VisitedPage, action: string, fields: Record<string, string> = {}): Promise<VisitedPage> {
    const form = forms.find((each) => each.action === action);
    if (!form) throw new Error(`the page has no form to ${action}, only ${forms.map((each) => each.action).join()}`);
    return this.post(action, { ...form.fields, ...fields });
  }

  private async send(method: string, path: string, headers: Record<string, string>, body?: URLSearchParams) {
    const response = await fetch(new URL(path, this.portal), {
      method,
      redirect: 'manual',
      headers: { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '), ...headers },
      ...(body ? { body } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) this.keep(cookie);
    return pageOf(response);
  }

  private keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (/;\s*max-age=0/i.test(cookie)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

async function pageOf(response: Response): Promise<VisitedPage> {
  const html = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    location: response.headers.get('location') ?? undefined,
    html,
    text: textOf(html),
    forms: [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', content = '']) => ({
      action: attributeOf(attributes, 'action'),
      fields: fieldsOf(content),
      buttons: content.match(/<button\b/g)?.length ?? 0,
    })),
  };
}

function fieldsOf(form: string): Record<string, string> {
  const hidden = [...form.matchAll(/<input type="hidden"([^>]*)>/g)];
  return Object.fromEntries(
    hidden.map(([, attributes = '']) => [attributeOf(attributes, 'name'), attributeOf(attributes, 'value')]),
  );
}

function attributeOf(attributes: string, name: string): string {
  return unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
}

function textOf(html: string): string {
  const body = html.replace(/<(script|style|head)\b.*?<\/\1>/gs, ' ').replace(/<[^>]+>/g, ' ');
  return unescaped(body).replace(/\s+/g, ' ').trim();
}

function unescaped(text: string): string {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] ?? '');
}
