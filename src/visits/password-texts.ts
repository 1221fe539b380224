/** The texts of the page that asks for a password, in one language. */
export interface PasswordTexts {
  title: string
  lead: string
  label: string
  button: string
  /** The password is wrong. */
  wrong: string
  /** Too many wrong passwords. */
  limited: string
  /** Too many visitors at the same time. */
  busy: string
}

/** By language tag; the first is the default. */
export const passwordTexts = {
  en: {
    title: 'Password required',
    lead: 'This link is protected by a password.',
    label: 'Password',
    button: 'Continue',
    wrong: 'This password is wrong.',
    limited: 'Too many wrong passwords. Please try again later.',
    busy: 'Too many people are trying at the moment. Please try again.',
  },
  de: {
    title: 'Passwort erforderlich',
    lead: 'Dieser Link ist durch ein Passwort geschützt.',
    label: 'Passwort',
    button: 'Weiter',
    wrong: 'Dieses Passwort ist falsch.',
    limited: 'Zu viele falsche Passwörter. Bitte versuchen Sie es später noch einmal.',
    busy: 'Im Moment versuchen es zu viele Personen. Bitte versuchen Sie es noch einmal.',
  },
  fr: {
    title: 'Mot de passe requis',
    lead: 'Ce lien est protégé par un mot de passe.',
    label: 'Mot de passe',
    button: 'Continuer',
    wrong: 'Ce mot de passe est incorrect.',
    limited: 'Trop de mots de passe incorrects. Veuillez réessayer plus tard.',
    busy: 'Trop de personnes essaient en ce moment. Veuillez réessayer.',
  },
  es: {
    title: 'Se requiere una contraseña',
    lead: 'Este enlace está protegido con una contraseña.',
    label: 'Contraseña',
    button: 'Continuar',
    wrong: 'La contraseña es incorrecta.',
    limited: 'Demasiadas contraseñas incorrectas. Inténtelo de nuevo más tarde.',
    busy: 'Hay demasiadas personas intentándolo en este momento. Inténtelo de nuevo.',
  },
  it: {
    title: 'Password richiesta',
    lead: 'Questo link è protetto da una password.',
    label: 'Password',
    button: 'Continua',
    wrong: 'La password è errata.',
    limited: 'Troppe password errate. Riprova più tardi.',
    busy: 'Troppe persone stanno provando in questo momento. Riprova.',
  },
  pt: {
    title: 'Senha necessária',
    lead: 'Este link está protegido por uma senha.',
    label: 'Senha',
    button: 'Continuar',
    wrong: 'A senha está incorreta.',
    limited: 'Muitas senhas incorretas. Tente novamente mais tarde.',
    busy: 'Há muitas pessoas tentando neste momento. Tente novamente.',
  },
  nl: {
    title: 'Wachtwoord vereist',
    lead: 'Deze link is beveiligd met een wachtwoord.',
    label: 'Wachtwoord',
    button: 'Doorgaan',
    wrong: 'Dit wachtwoord is onjuist.',
    limited: 'Te veel onjuiste wachtwoorden. Probeer het later opnieuw.',
    busy: 'Op dit moment proberen te veel mensen het. Probeer het opnieuw.',
  },
  pl: {
    title: 'Wymagane hasło',
    lead: 'Ten link jest chroniony hasłem.',
    label: 'Hasło',
    button: 'Dalej',
    wrong: 'To hasło jest nieprawidłowe.',
    limited: 'Zbyt wiele nieprawidłowych haseł. Spróbuj ponownie później.',
    busy: 'W tej chwili próbuje zbyt wiele osób. Spróbuj ponownie.',
  },
  tr: {
    title: 'Parola gerekli',
    lead: 'Bu bağlantı bir parola ile korunuyor.',
    label: 'Parola',
    button: 'Devam et',
    wrong: 'Bu parola yanlış.',
    limited: 'Çok fazla yanlış parola girildi. Lütfen daha sonra tekrar deneyin.',
    busy: 'Şu anda çok fazla kişi deniyor. Lütfen tekrar deneyin.',
  },
  ja: {
    title: 'パスワードが必要です',
    lead: 'このリンクはパスワードで保護されています。',
    label: 'パスワード',
    button: '続ける',
    wrong: 'パスワードが正しくありません。',
    limited: 'パスワードの誤りが多すぎます。しばらくしてからもう一度お試しください。',
    busy: '現在混み合っています。もう一度お試しください。',
  },
  zh: {
    title: '需要密码',
    lead: '此链接受密码保护。',
    label: '密码',
    button: '继续',
    wrong: '密码错误。',
    limited: '密码错误次数过多，请稍后再试。',
    busy: '当前尝试的人太多，请重试。',
  },
  ar: {
    title: 'كلمة المرور مطلوبة',
    lead: 'هذا الرابط محمي بكلمة مرور.',
    label: 'كلمة المرور',
    button: 'متابعة',
    wrong: 'كلمة المرور غير صحيحة.',
    limited: 'عدد كبير من كلمات المرور غير الصحيحة. يرجى المحاولة مرة أخرى لاحقًا.',
    busy: 'يحاول عدد كبير من الأشخاص الآن. يرجى المحاولة مرة أخرى.',
  },
} as const satisfies Record<string, PasswordTexts>

export type PasswordLanguage = keyof typeof passwordTexts

/** Languages that are written from right to left. */
export const rightToLeft: ReadonlySet<PasswordLanguage> = new Set(['ar'])
