import type { ByLanguage } from './language.ts'

const en = {
  title: 'Your own domain',
  description: 'Short links and QR codes on a host name of your own, such as qr.example.com.',
  lead: 'Short links can carry your own name: {example} instead of {own}. You register the name here, and add one DNS record where you manage your domain.',
  name: 'Host name',
  nameHint: 'such as qr.example.com',
  register: 'Continue',
  stepsTitle: 'How it works',
  steps: {
    name: 'Choose a name under your domain that nothing uses yet, such as qr.example.com.',
    record: 'Add the DNS record that this page shows, where you bought the domain or manage its DNS.',
    wait: 'Wait until the DNS record is found: minutes usually, a few hours at times.',
    done: 'All your short links work under the new name, with HTTPS.',
  },
  invalidName:
    'This name cannot be registered. Enter a host name of yours without https:// and without a path, such as qr.example.com.',
  tooMany:
    'Too many names of this domain are active already. Remove one of them first; or continue, and show by a second DNS record that the domain is yours.',
  tooManyWaiting:
    'Too many of the names that you have registered do not lead here yet. Add their DNS records first, or try again in a few days.',
  limited: 'You have reached the limit for now. Try again in {minutes} minutes.',
  limitedOne: 'You have reached the limit for now. Try again in a minute.',
  failed: 'That did not work: {detail}',
  encoded: 'In DNS records it is written {name}.',
  unknown: 'This name is not registered here.',
  wrongKey: 'This is not the domain key of this name.',
  status: { pending: 'Waiting for the DNS record', active: 'Active', misconfigured: 'No longer leads here' },
  state: 'State',
  found: 'The DNS record is right: {name} leads here.',
  foundNext: 'Open one of your short links under the new name, such as {example}.',
  open: 'The name led here before it was registered, so it serves the other pages of the service as well. If you registered it, add this DNS record, too: then it serves short links only, and QR codes on it carry it.',
  notChecked: 'The DNS record has not been checked yet.',
  checkedAt: 'Checked at {time}. This page goes on checking by itself.',
  checkedAtOnce: 'Checked at {time}.',
  checkAgain: 'Check again',
  expires: 'Add the DNS record before {date}, or you will have to register again.',
  faults: {
    nxdomain:
      'There is no DNS record for {name} yet. Add the one below; it may take a few minutes until others see it.',
    no_records:
      'The name {name} exists, but it has no DNS record that leads anywhere. Is the type of the DNS record right? It must be one of those below.',
    points_elsewhere:
      '{name} leads somewhere else: to {found}. Remove that DNS record, and add the one below. At Cloudflare, switch the proxy off for it (“DNS only”).',
    cname_loop: 'The DNS records of {name} lead in a circle. Add exactly the one below.',
    cname_chain_too_long: '{name} leads here by too many steps. Add exactly the DNS record below.',
    servfail:
      'The name servers of your domain report an error. If you have changed DNSSEC or name servers lately, ask your provider.',
    timeout: 'The name servers of your domain do not respond. We keep trying.',
    dns_error: 'The response of your name servers cannot be read. We keep trying.',
    service_unresolved:
      'The address of this service cannot be looked up at the moment. We keep trying; you need to do nothing.',
    no_public_name:
      'This service has no public name yet, so no domain can lead to it. Its operator has to set its address (BASE_URL) first.',
    own_name: 'This name belongs to the service itself.',
    too_many_active:
      'The DNS record is right, but too many names of this domain are active already. Remove one of them, or take this one over with a second DNS record.',
  },
  anotherPlace: 'another address',
  certificate: 'Certificate',
  certificates: {
    valid: 'Issued, valid until {date}. It is renewed by itself.',
    pending: 'It is issued on the first visit over HTTPS, which then takes a few seconds.',
    waiting: 'It is issued once the DNS record is found.',
    failed:
      'It could not be issued yet; the next attempt is after {time}. A CAA record in the DNS of your domain may forbid it.',
    queued: {
      turn: 'It is issued as soon as it is its turn: other domains wait as well.',
      all: 'It is issued as soon as the certificate authority may be asked again: this takes three hours at most, and a visit is not needed.',
      network:
        'It is issued within three hours by itself: as many as may be were just issued for names that are visited from the same network. A visit from another network brings it forward.',
      domain:
        'It is issued within hours by itself: as many as may be were just issued for other names of this domain. A name that you have taken over with a second DNS record (TXT) does not wait for those of strangers.',
    },
    away: 'It could not be issued yet, which is no fault of your domain: the certificate authority does not issue any at the moment. The next attempt is after {time}.',
    proxy: 'The web server in front of this service obtains it once the name is active.',
    off: 'This service does not use HTTPS itself; ask its operator how visitors get it.',
  },
  recordTitle: 'The DNS record to add',
  recordsTitle: 'The DNS records to add',
  type: 'Type',
  host: 'Name',
  value: 'Value',
  ttl: 'TTL',
  ttlValue: '3600, or what is preset',
  fullName: 'in full: {name}',
  alternativesTitle: 'If your provider refuses a CNAME for the domain itself',
  alternatives:
    'A domain without anything in front of it usually cannot have a CNAME. Use the type ALIAS or ANAME with the same value if your provider has it; otherwise add these addresses:',
  providersTitle: 'In the form of your provider',
  general: 'As a line of a zone file',
  dot: 'The dot at the end of the value belongs to it.',
  keyTitle: 'Save the domain key',
  key: 'It is shown only now. You need it to remove the domain.',
  claimKey: 'It is shown only now, and becomes valid once the TXT record below is found.',
  claimExpires: 'The TXT record must be found before {date}. You may remove it afterwards.',
  takenTitle: 'Somebody registered this name before',
  taken:
    'If that was you, just add the DNS record at your provider. If you manage the DNS of this name and do not have its domain key, you can take it over with a second DNS record.',
  claim: 'Take it over',
  removeTitle: 'Remove the domain',
  remove: 'Short links under this name stop working; they keep working under the address of the service.',
  keyField: 'Domain key',
  removeButton: 'Remove',
  removed: '{name} was removed',
  removedText: 'You may delete its DNS record at your provider as well.',
  another: 'Another domain',
  copy: 'Copy',
}

const de: typeof en = {
  title: 'Ihre eigene Domain',
  description: 'Kurzlinks und QR-Codes unter einem eigenen Namen wie qr.example.com.',
  lead: 'Kurzlinks können Ihren eigenen Namen tragen: {example} statt {own}. Sie registrieren den Namen hier und legen einen DNS-Eintrag dort an, wo Sie Ihre Domain verwalten.',
  name: 'Hostname',
  nameHint: 'etwa qr.example.com',
  register: 'Weiter',
  stepsTitle: 'So geht es',
  steps: {
    name: 'Wählen Sie einen Namen unter Ihrer Domain, den noch nichts verwendet, etwa qr.example.com.',
    record:
      'Legen Sie den DNS-Eintrag an, den diese Seite zeigt, dort, wo Sie die Domain gekauft haben oder ihr DNS verwalten.',
    wait: 'Warten Sie, bis der DNS-Eintrag gefunden ist: meist Minuten, manchmal einige Stunden.',
    done: 'Alle Ihre Kurzlinks funktionieren unter dem neuen Namen, mit HTTPS.',
  },
  invalidName:
    'Dieser Name kann nicht registriert werden. Geben Sie einen eigenen Hostnamen ohne https:// und ohne Pfad ein, etwa qr.example.com.',
  tooMany:
    'Es sind schon zu viele Namen dieser Domain aktiv. Entfernen Sie zuerst einen davon; oder fahren Sie fort, und zeigen Sie durch einen zweiten DNS-Eintrag, dass die Domain Ihnen gehört.',
  tooManyWaiting:
    'Zu viele der Namen, die Sie registriert haben, führen noch nicht hierher. Legen Sie zuerst deren DNS-Einträge an, oder versuchen Sie es in einigen Tagen wieder.',
  limited: 'Das Limit ist vorerst erreicht. Versuchen Sie es in {minutes} Minuten wieder.',
  limitedOne: 'Das Limit ist vorerst erreicht. Versuchen Sie es in einer Minute wieder.',
  failed: 'Das hat nicht geklappt: {detail}',
  encoded: 'In DNS-Einträgen steht dafür {name}.',
  unknown: 'Dieser Name ist hier nicht registriert.',
  wrongKey: 'Das ist nicht der Domain-Schlüssel dieses Namens.',
  status: { pending: 'Wartet auf den DNS-Eintrag', active: 'Aktiv', misconfigured: 'Führt nicht mehr hierher' },
  state: 'Stand',
  found: 'Der DNS-Eintrag stimmt: {name} führt hierher.',
  foundNext: 'Öffnen Sie einen Ihrer Kurzlinks unter dem neuen Namen, etwa {example}.',
  open: 'Der Name führte schon vor der Registrierung hierher, deshalb zeigt er auch die anderen Seiten des Dienstes. Haben Sie ihn registriert, dann legen Sie auch diesen DNS-Eintrag an: Danach gibt es unter ihm nur Kurzlinks, und QR-Codes dort tragen ihn.',
  notChecked: 'Der DNS-Eintrag wurde noch nicht geprüft.',
  checkedAt: 'Geprüft um {time}. Diese Seite prüft von selbst weiter.',
  checkedAtOnce: 'Geprüft um {time}.',
  checkAgain: 'Erneut prüfen',
  expires: 'Legen Sie den DNS-Eintrag vor dem {date} an, sonst müssen Sie neu registrieren.',
  faults: {
    nxdomain:
      'Für {name} gibt es noch keinen DNS-Eintrag. Legen Sie den unten stehenden an; bis andere ihn sehen, kann es einige Minuten dauern.',
    no_records:
      'Den Namen {name} gibt es, aber er hat keinen DNS-Eintrag, der irgendwohin führt. Stimmt der Typ? Er muss einer der unten stehenden sein.',
    points_elsewhere:
      '{name} führt woandershin: zu {found}. Entfernen Sie diesen DNS-Eintrag und legen Sie den unten stehenden an. Bei Cloudflare schalten Sie dafür den Proxy aus („Nur DNS“).',
    cname_loop: 'Die DNS-Einträge von {name} führen im Kreis. Legen Sie genau den unten stehenden an.',
    cname_chain_too_long:
      '{name} führt über zu viele Schritte hierher. Legen Sie genau den unten stehenden DNS-Eintrag an.',
    servfail:
      'Die Nameserver Ihrer Domain melden einen Fehler. Wenn Sie kürzlich DNSSEC oder Nameserver geändert haben, fragen Sie Ihren Anbieter.',
    timeout: 'Die Nameserver Ihrer Domain antworten nicht. Wir versuchen es weiter.',
    dns_error: 'Die Antwort Ihrer Nameserver ist nicht lesbar. Wir versuchen es weiter.',
    service_unresolved:
      'Die Adresse dieses Dienstes lässt sich gerade nicht nachschlagen. Wir versuchen es weiter; Sie müssen nichts tun.',
    no_public_name:
      'Dieser Dienst hat noch keinen öffentlichen Namen, also kann keine Domain zu ihm führen. Sein Betreiber muss zuerst dessen Adresse (BASE_URL) festlegen.',
    own_name: 'Dieser Name gehört dem Dienst selbst.',
    too_many_active:
      'Der DNS-Eintrag stimmt, aber es sind schon zu viele Namen dieser Domain aktiv. Entfernen Sie einen davon, oder übernehmen Sie diesen mit einem zweiten DNS-Eintrag.',
  },
  anotherPlace: 'einer anderen Adresse',
  certificate: 'Zertifikat',
  certificates: {
    valid: 'Ausgestellt, gültig bis {date}. Es wird von selbst erneuert.',
    pending: 'Es wird beim ersten Besuch über HTTPS ausgestellt, der dann einige Sekunden dauert.',
    waiting: 'Es wird ausgestellt, sobald der DNS-Eintrag gefunden ist.',
    failed:
      'Es konnte noch nicht ausgestellt werden; der nächste Versuch folgt nach {time}. Ein CAA-Eintrag im DNS Ihrer Domain verbietet es möglicherweise.',
    queued: {
      turn: 'Es wird ausgestellt, sobald es an der Reihe ist: Auch andere Domains warten.',
      all: 'Es wird ausgestellt, sobald die Zertifizierungsstelle wieder gefragt werden darf: Das dauert höchstens drei Stunden, ein Besuch ist nicht nötig.',
      network:
        'Es wird binnen drei Stunden von selbst ausgestellt: Für Namen, die aus demselben Netz besucht werden, wurden gerade so viele ausgestellt, wie es sein dürfen. Ein Besuch aus einem anderen Netz zieht es vor.',
      domain:
        'Es wird binnen Stunden von selbst ausgestellt: Für andere Namen dieser Domain wurden gerade so viele ausgestellt, wie es sein dürfen. Ein Name, den Sie mit einem zweiten DNS-Eintrag (TXT) übernommen haben, wartet nicht auf die von Fremden.',
    },
    away: 'Es konnte noch nicht ausgestellt werden, was nicht an Ihrer Domain liegt: Die Zertifizierungsstelle stellt gerade keine aus. Der nächste Versuch folgt nach {time}.',
    proxy: 'Der Webserver vor diesem Dienst besorgt es, sobald der Name aktiv ist.',
    off: 'Dieser Dienst verwendet selbst kein HTTPS; fragen Sie den Betreiber, wie Besucher es bekommen.',
  },
  recordTitle: 'Der DNS-Eintrag',
  recordsTitle: 'Die DNS-Einträge',
  type: 'Typ',
  host: 'Name',
  value: 'Wert',
  ttl: 'TTL',
  ttlValue: '3600, oder was voreingestellt ist',
  fullName: 'vollständig: {name}',
  alternativesTitle: 'Wenn Ihr Anbieter für die Domain selbst keinen CNAME erlaubt',
  alternatives:
    'Eine Domain ohne etwas davor kann meist keinen CNAME haben. Verwenden Sie den Typ ALIAS oder ANAME mit demselben Wert, wenn Ihr Anbieter ihn hat; legen Sie sonst diese Adressen an:',
  providersTitle: 'Im Formular Ihres Anbieters',
  general: 'Als Zeile einer Zonendatei',
  dot: 'Der Punkt am Ende des Werts gehört dazu.',
  keyTitle: 'Sichern Sie den Domain-Schlüssel',
  key: 'Er wird nur jetzt gezeigt. Sie brauchen ihn, um die Domain zu entfernen.',
  claimKey: 'Er wird nur jetzt gezeigt und gilt, sobald der TXT-Eintrag unten gefunden ist.',
  claimExpires: 'Der TXT-Eintrag muss vor dem {date} gefunden werden. Danach können Sie ihn entfernen.',
  takenTitle: 'Jemand hat diesen Namen schon registriert',
  taken:
    'Waren Sie das? Dann legen Sie nur noch den DNS-Eintrag bei Ihrem Anbieter an. Wenn Sie das DNS dieses Namens verwalten und seinen Domain-Schlüssel nicht haben, können Sie ihn mit einem zweiten DNS-Eintrag übernehmen.',
  claim: 'Übernehmen',
  removeTitle: 'Domain entfernen',
  remove: 'Kurzlinks unter diesem Namen funktionieren dann nicht mehr, unter der Adresse des Dienstes aber weiterhin.',
  keyField: 'Domain-Schlüssel',
  removeButton: 'Entfernen',
  removed: '{name} wurde entfernt',
  removedText: 'Den DNS-Eintrag bei Ihrem Anbieter können Sie ebenfalls löschen.',
  another: 'Weitere Domain',
  copy: 'Kopieren',
}

/** The pages of custom domains. */
export const domainsTexts: ByLanguage<typeof en> = { en, de }
