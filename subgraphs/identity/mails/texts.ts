import type { ContestNoticeMail, HomeOfLink, Language, SignInNoticeMail } from './outgoing-mail';

/** Text of a mail in one language, in plain sentences, not yet escaped. */
export interface MailText {
  readonly subject: string;
  /** Cause of the mail; before the link. */
  readonly before: readonly string[];
  /** Text of the link. */
  readonly link: string;
  /** Effect, expiry, and advice for readers who did not request the mail; after the link. */
  readonly after: readonly string[];
}

/** The home of a sign-in link, in one language. */
export interface HomeText extends Pick<HomeOfLink, 'number' | 'total' | 'isCurrent'> {
  readonly organisation: string;
  /** Day on which the organisation registered the address for the home. */
  readonly day: string;
}

/** Texts of all mails in one language. Times are in the time zone of Great Britain. */
interface MailTexts {
  readonly sender: string;
  reidentification(organisation: string, until: string): MailText;
  passkeyProof(organisation: string, until: string): MailText;
  signIn(until: string, home?: HomeText): MailText;
  signInNotice(at: string, notice: Pick<SignInNoticeMail, 'means' | 'isLimited' | 'isMerged'>): MailText;
  contestNotice(organisation: string, at: string, notice: Pick<ContestNoticeMail, 'hasSupplierSignIn'>): MailText;
  contactLink(until: string): MailText;
}

const ENGLISH: MailTexts = {
  sender: 'Energy data access register',
  reidentification: (organisation, until) => ({
    subject: `Confirm that it is you, for ${organisation}`,
    before: [`${organisation} has asked the energy data access register to confirm that you are its customer.`],
    link: 'Confirm that it is you',
    after: [
      `The link opens a page with one button. When you press the button on that page, you confirm to ${organisation} that it is you. It can then register its access to data from your energy meter. The page says what else it can do.`,
      `${organisation} does not learn your e-mail address from us.`,
      `The link works once, until ${until} (UK time).`,
      'If you did not ask for this, do nothing. No one is notified, and nothing changes.',
    ],
  }),
  passkeyProof: (organisation, until) => ({
    subject: `Confirm that you want to add a passkey, for ${organisation}`,
    before: [
      `${organisation} has sent you to the energy data access register to add a passkey. Before we add it, we must be sure that it is you.`,
      'Open the link on the device that you want to use from now on.',
    ],
    link: 'Confirm that you want to add a passkey',
    after: [
      'The link opens a page with one button. When you press the button on that page, you can add a passkey on that device. From then on, whoever can unlock the device can confirm that it is you.',
      `The link works once, until ${until} (UK time).`,
      'If you did not ask for this, do nothing. No passkey is added.',
    ],
  }),
  signIn: (until, home) => ({
    subject: `Your link to sign in to the energy data access register${home ? ` (${home.number} of ${home.total})` : ''}`,
    before: [
      'A link to sign in with this e-mail address was requested from the energy data access register. After signing in you see which organisations have access to data from your energy meter.',
      ...(home
        ? [
            `The address is registered more than once, so there is more than one link. This is link ${home.number} of ${home.total}. It is for ${home.isCurrent ? 'a home where you live now' : 'a former home'}: ${home.organisation} registered the address for it on ${home.day}.`,
          ]
        : []),
    ],
    link: 'Sign in',
    after: [
      'The link opens a page with one button. When you press the button on that page, you are signed in: in that browser only, for at most 8 hours. Do not forward this mail.',
      `The link works once, until ${until} (UK time).`,
      'If you did not ask for this, do nothing. Nobody is signed in.',
    ],
  }),
  signInNotice: (at, { means, isLimited, isMerged }) => ({
    subject: 'Somebody signed in to the energy data access register for your home',
    before: [
      `On ${at} (UK time) somebody signed in to the energy data access register for your home, ${ENGLISH_METHODS[means]}. ${isLimited ? ENGLISH_LIMITS[means] : ENGLISH_WHOLE}`,
      ...(isMerged ? ['There may have been more sign-ins since our last mail about them.'] : []),
      'If it was you, or somebody who lives with you, you need not do anything.',
    ],
    link: 'Go to the energy data access register',
    after: [
      'If you know nothing about it, sign in there yourself and check who has access.',
      'At most one mail in 15 minutes reports sign-ins; the next one reports those in between.',
    ],
  }),
  contestNotice: (organisation, at, { hasSupplierSignIn }) => ({
    subject: 'A second email address or passkey is registered for your home',
    before: [
      `On ${at} (UK time) the energy data access register learned from ${organisation} of a customer at your home with another email address or passkey than the one that we knew. We do not know whether both belong to the same person.`,
      'Until that is clear, each of them shows only the access that was registered for it. Nobody else can see or withdraw the access that was registered for you.',
    ],
    link: 'Go to the energy data access register',
    after: [
      'If both are yours, or belong to people who live with you: sign in there with one of them, and prove the other one on the page “Who you are”. Then you see everything again.',
      hasSupplierSignIn
        ? `If you know nothing about it: sign in at your energy supplier, if the same pages list it, and reject what is not yours. You can also ask ${organisation} about it.`
        : `If you know nothing about it: do not prove the other one. Ask ${organisation} about it.`,
    ],
  }),
  contactLink: (until) => ({
    subject: 'Confirm that this email address belongs to you as well',
    before: [
      'Somebody who is signed in to the energy data access register for your home wants to show that this email address belongs to them, too, or to the same household.',
    ],
    link: 'Confirm this email address',
    after: [
      'Open the link in the browser in which you are signed in. It opens a page with one button. When you press the button, whoever is signed in there sees and can withdraw everything that this email address does, and the other way round.',
      `The link works once, until ${until} (UK time). Do not forward this mail to anybody who does not live with you.`,
      'If you did not ask for this, do nothing. Nothing changes.',
    ],
  }),
};

const ENGLISH_METHODS: Record<SignInNoticeMail['means'], string> = {
  'magic-link': 'with a link that was sent by e-mail',
  passkey: 'with a passkey',
  supplier: 'with their login at an energy supplier',
};

/** What a session opens that is not limited. */
const ENGLISH_WHOLE =
  'They can see which organisations have access to data from your energy meter, and withdraw consent.';

const ENGLISH_OWN =
  'They can see, and withdraw, only the access that was registered for the email address or passkey with which they signed in, or for another one that was proven to be theirs.';

/** What a limited session opens, by method. */
const ENGLISH_LIMITS: Record<SignInNoticeMail['means'], string> = {
  'magic-link': ENGLISH_OWN,
  passkey: ENGLISH_OWN,
  supplier:
    'They can confirm or reject each email address and passkey that is registered for your home. They can see, and withdraw, only the access that was registered for those that they confirm; those that they reject open nothing any more.',
};

const WELSH: MailTexts = {
  sender: 'Cofrestr mynediad at ddata ynni',
  reidentification: (organisation, until) => ({
    subject: `Cadarnhewch mai chi sydd yno, ar gyfer ${organisation}`,
    before: [`Mae ${organisation} wedi gofyn i’r gofrestr mynediad at ddata ynni gadarnhau eich bod yn gwsmer iddo.`],
    link: 'Cadarnhau mai chi sydd yno',
    after: [
      `Mae’r ddolen yn agor tudalen ag un botwm. Pan fyddwch yn pwyso’r botwm ar y dudalen honno, byddwch yn cadarnhau i ${organisation} mai chi sydd yno. Yna gall gofrestru ei fynediad at ddata o’ch mesurydd ynni. Mae’r dudalen yn dweud beth arall y gall ei wneud.`,
      `Ni fydd ${organisation} yn cael gwybod eich cyfeiriad e-bost gennym ni.`,
      `Mae’r ddolen yn gweithio unwaith, tan ${until} (amser y DU).`,
      'Os na wnaethoch ofyn am hyn, peidiwch â gwneud dim. Ni fydd neb yn cael gwybod dim, ac ni fydd dim yn newid.',
    ],
  }),
  passkeyProof: (organisation, until) => ({
    subject: `Cadarnhewch eich bod am ychwanegu cod-allwedd, ar gyfer ${organisation}`,
    before: [
      `Mae ${organisation} wedi eich anfon at y gofrestr mynediad at ddata ynni i ychwanegu cod-allwedd (passkey). Cyn i ni ei ychwanegu, rhaid i ni fod yn siŵr mai chi sydd yno.`,
      'Agorwch y ddolen ar y ddyfais yr ydych am ei defnyddio o hyn ymlaen.',
    ],
    link: 'Cadarnhau eich bod am ychwanegu cod-allwedd',
    after: [
      'Mae’r ddolen yn agor tudalen ag un botwm. Pan fyddwch yn pwyso’r botwm ar y dudalen honno, gallwch ychwanegu cod-allwedd ar y ddyfais honno. O hynny ymlaen, gall pwy bynnag sy’n gallu datgloi’r ddyfais gadarnhau mai chi sydd yno.',
      `Mae’r ddolen yn gweithio unwaith, tan ${until} (amser y DU).`,
      'Os na wnaethoch ofyn am hyn, peidiwch â gwneud dim. Ni fydd cod-allwedd yn cael ei ychwanegu.',
    ],
  }),
  signIn: (until, home) => ({
    subject: `Eich dolen i fewngofnodi i’r gofrestr mynediad at ddata ynni${home ? ` (${home.number} o ${home.total})` : ''}`,
    before: [
      'Gofynnodd rhywun i’r gofrestr mynediad at ddata ynni am ddolen i fewngofnodi gyda’r cyfeiriad e-bost hwn. Ar ôl mewngofnodi byddwch yn gweld pa sefydliadau sydd â mynediad at ddata o’ch mesurydd ynni.',
      ...(home
        ? [
            `Mae’r cyfeiriad wedi’i gofrestru fwy nag unwaith, felly mae mwy nag un ddolen. Dyma ddolen ${home.number} o ${home.total}. Mae ar gyfer cartref ${home.isCurrent ? 'lle rydych yn byw nawr' : 'blaenorol'}: cofrestrodd ${home.organisation} y cyfeiriad ar ei gyfer ar ${home.day}.`,
          ]
        : []),
    ],
    link: 'Mewngofnodi',
    after: [
      'Mae’r ddolen yn agor tudalen ag un botwm. Pan fyddwch yn pwyso’r botwm ar y dudalen honno, byddwch wedi mewngofnodi: yn y porwr hwnnw yn unig, am 8 awr ar y mwyaf. Peidiwch ag anfon yr e-bost hwn ymlaen.',
      `Mae’r ddolen yn gweithio unwaith, tan ${until} (amser y DU).`,
      'Os na wnaethoch ofyn am hyn, peidiwch â gwneud dim. Ni fydd neb yn cael ei fewngofnodi.',
    ],
  }),
  signInNotice: (at, { means, isLimited, isMerged }) => ({
    subject: 'Mae rhywun wedi mewngofnodi i’r gofrestr mynediad at ddata ynni ar gyfer eich cartref',
    before: [
      `Ar ${at} (amser y DU) mewngofnododd rhywun i’r gofrestr mynediad at ddata ynni ar gyfer eich cartref, ${WELSH_METHODS[means]}. ${isLimited ? WELSH_LIMITS[means] : WELSH_WHOLE}`,
      ...(isMerged ? ['Efallai fod rhagor o fewngofnodi wedi digwydd ers ein neges ddiwethaf amdano.'] : []),
      'Os chi oedd yno, neu rywun sy’n byw gyda chi, nid oes angen i chi wneud dim.',
    ],
    link: 'Mynd i’r gofrestr mynediad at ddata ynni',
    after: [
      'Os na wyddoch ddim am hyn, mewngofnodwch yno eich hun a gwirio pwy sydd â mynediad.',
      'Un neges ar y mwyaf mewn 15 munud sy’n rhoi gwybod am fewngofnodi; bydd y nesaf yn rhoi gwybod am y rhai yn y cyfamser.',
    ],
  }),
  contestNotice: (organisation, at, { hasSupplierSignIn }) => ({
    subject: 'Mae ail gyfeiriad e-bost neu god-allwedd wedi’i gofrestru ar gyfer eich cartref',
    before: [
      `Ar ${at} (amser y DU) cafodd y gofrestr mynediad at ddata ynni wybod gan ${organisation} am gwsmer yn eich cartref â chyfeiriad e-bost neu god-allwedd gwahanol i’r un yr oeddem yn gwybod amdano. Ni wyddom a yw’r ddau yn perthyn i’r un person.`,
      'Hyd nes y bydd hynny’n glir, dim ond y mynediad a gofrestrwyd ar ei gyfer y mae pob un ohonynt yn ei ddangos. Ni all neb arall weld na thynnu’n ôl y mynediad a gofrestrwyd ar eich cyfer chi.',
    ],
    link: 'Mynd i’r gofrestr mynediad at ddata ynni',
    after: [
      'Os chi biau’r ddau, neu os ydynt yn perthyn i bobl sy’n byw gyda chi: mewngofnodwch yno ag un ohonynt, a phrofwch y llall ar y dudalen “Pwy ydych chi”. Yna byddwch yn gweld popeth eto.',
      hasSupplierSignIn
        ? `Os na wyddoch ddim am hyn: mewngofnodwch gyda’ch cyflenwr ynni, os yw’r un tudalennau yn ei restru, a gwrthodwch yr hyn nad yw’n eiddo i chi. Gallwch hefyd holi ${organisation} amdano.`
        : `Os na wyddoch ddim am hyn: peidiwch â phrofi’r llall. Holwch ${organisation} amdano.`,
    ],
  }),
  contactLink: (until) => ({
    subject: 'Cadarnhewch fod y cyfeiriad e-bost hwn yn perthyn i chi hefyd',
    before: [
      'Mae rhywun sydd wedi mewngofnodi i’r gofrestr mynediad at ddata ynni ar gyfer eich cartref am ddangos bod y cyfeiriad e-bost hwn yn perthyn iddynt hwy hefyd, neu i’r un aelwyd.',
    ],
    link: 'Cadarnhau’r cyfeiriad e-bost hwn',
    after: [
      'Agorwch y ddolen yn y porwr yr ydych wedi mewngofnodi ynddo. Mae’n agor tudalen ag un botwm. Pan fyddwch yn pwyso’r botwm, bydd pwy bynnag sydd wedi mewngofnodi yno yn gweld ac yn gallu tynnu’n ôl bopeth y mae’r cyfeiriad e-bost hwn yn ei wneud, ac i’r gwrthwyneb.',
      `Mae’r ddolen yn gweithio unwaith, tan ${until} (amser y DU). Peidiwch ag anfon yr e-bost hwn ymlaen at neb nad yw’n byw gyda chi.`,
      'Os na wnaethoch ofyn am hyn, peidiwch â gwneud dim. Ni fydd dim yn newid.',
    ],
  }),
};

const WELSH_METHODS: Record<SignInNoticeMail['means'], string> = {
  'magic-link': 'gyda dolen a anfonwyd drwy e-bost',
  passkey: 'gyda chod-allwedd',
  supplier: 'gyda’i gyfrif gyda chyflenwr ynni',
};

/** What a session opens that is not limited. */
const WELSH_WHOLE =
  'Gallant weld pa sefydliadau sydd â mynediad at ddata o’ch mesurydd ynni, a thynnu cydsyniad yn ôl.';

const WELSH_OWN =
  'Dim ond y mynediad a gofrestrwyd ar gyfer y cyfeiriad e-bost neu’r cod-allwedd y gwnaethant fewngofnodi ag ef, neu ar gyfer un arall y profwyd ei fod yn eiddo iddynt, y gallant ei weld a’i dynnu’n ôl.';

/** What a limited session opens, by method. */
const WELSH_LIMITS: Record<SignInNoticeMail['means'], string> = {
  'magic-link': WELSH_OWN,
  passkey: WELSH_OWN,
  supplier:
    'Gallant gadarnhau neu wrthod pob cyfeiriad e-bost a chod-allwedd sydd wedi’i gofrestru ar gyfer eich cartref. Dim ond y mynediad a gofrestrwyd ar gyfer y rhai a gadarnhânt y gallant ei weld a’i dynnu’n ôl; ni fydd y rhai a wrthodant yn agor dim mwyach.',
};

/** The texts of each language. */
export const MAIL_TEXTS: Readonly<Record<Language, MailTexts>> = { en: ENGLISH, cy: WELSH };
