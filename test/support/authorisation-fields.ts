/**
 * Every field of every object in the graph. A caller that reaches an object reads all of its fields, except those in
 * `FIELD_TABLES` (`authorisation-graph.ts`). Before adding a new field here, check which callers will read it, above all through an access key,
 * which needs no authentication (`AccessRecord` and everything below it).
 */
export const OBJECT_FIELDS = `
AccessEvent: consent controllerReference expiry registeredAt revokedAt state
AccessLook: count hour kind organisation recordId
AccessRecord: accessEvent ak arrangementType controllerCount dataTypes dataUser discoveredAccess expiry id identityRecord
  leadControllerName legalBasis notice processing purpose recordMetadata registeredAt reidentificationToken state transitions version
  versions
AccessRecordConnection: edges nextCursor nodes pageInfo totalCount
AccessRecordCount: legalBasis state total
AccessRecordEdge: cursor node
AccessRecordRegistration: accessToken replayed
AccessRecordReplacement: accessToken version
AccessRecordRevocation: ak revokedAt
AccessRecordTransition: at cause from reason to
AccessRecordTransitionConnection: edges nextCursor nodes pageInfo
AccessRecordTransitionEdge: cursor node
AccessRecordVersion: dataTypes expiry leadControllerName legalBasis purpose recordedAt replacedSections version
AccessRecordVersionConnection: edges nextCursor nodes pageInfo
AccessRecordVersionEdge: cursor node
AccessToken: expiry key
Account: accountId contactUrl dataTypesSupported displayName duid mpid oauthClientId oauthIssuer organisationReference privacyUrl
  registeredAt returnUrls role status suspendedAt termination verificationWithdrawnAt
AccountConnection: edges nextCursor nodes pageInfo totalCount
AccountEdge: cursor node
AccountSecret: account secretKey
AccountTermination: at recordsRemaining recordsRevoked
AppendedTariffPrices: added changed
AssertedContactRejection: contactsRejected dataUser finishedAt recordsRemaining recordsReviewed requestedAt requestedBy since
AuditEntry: action actor at detail id subject
TariffAuditEntry: action actor at detail id subject
IdentityAuditEntry: action actor at detail id subject
GridAuditEntry: action actor at detail id subject
AuditEntryConnection: edges nextCursor nodes pageInfo
TariffAuditEntryConnection: edges nextCursor nodes pageInfo
IdentityAuditEntryConnection: edges nextCursor nodes pageInfo
GridAuditEntryConnection: edges nextCursor nodes pageInfo
AuditEntryEdge: cursor node
TariffAuditEntryEdge: cursor node
IdentityAuditEntryEdge: cursor node
GridAuditEntryEdge: cursor node
BaseFile: file header items statements
BaseModel: files period publicationYear publishedAt version warnings
BaseObject: name type
Ceremony: cancelUrl expiresAt kind organisation proofs
CeremonyOutcome: nextSecret organisation returnUrl
ChangeOfTenancyRecord: activeRecordsAffected dataUsersNotified effectiveDate isNew mpxn replayed sourceReference
ComparisonCount: added changed file removed
Consent: consentType method
ConsentEvidence: address consentDate consentExpiry method mpxn termsUrl userDefinedReference
ConsentRegistration: consentToken isNew replayed
ConsentToken: consentExpiry key
ConsentWithdrawal: id revokedAt
Controller: address contactUrl liaReference name privacyRightsUrl role statutoryReference storageConditions
ControllerArrangement: arrangementType art26Reference controllers
ContactCount: asserted contests dataUser isAlert rejections
ContactLink: expiresAt
ControllerNotice: controllerName noticeLanguage noticeVersion termsUrl
CredentialRemoval: credentialId
CustomerContact: dataUsers id kind shown since standing
CustomerSession: address expiresAt isContested isCurrent mayJudge moveInDate mpxn returnDuid returnUrl signedInAt signedInBy
CustomerSignIn: expiresAt token
DataUser: contactUrl dataTypesSupported displayName duid privacyUrl registeredAt status suspendedAt
DataUserRecordCounts: counts dataUser
DataUserRecordCountsConnection: edges nextCursor nodes pageInfo
DataUserRecordCountsEdge: cursor node
DaysAndHours: days hours
DeliveryAttempt: at durationMs error status
DeliveryHealth: deliveredLastHour failedAttemptsLastHour faulty oldestPendingSeconds pending subscriptions undeliveredLastDay
DependencyStep: depth mRID model
DevelopmentProject: comparison id latestVersion licenceArea period projectId publicationYear version versions
DevelopmentProjectConnection: edges nextCursor nodes pageInfo totalCount
DevelopmentProjectEdge: cursor node
DifferenceItem: associations attributes change description isObject mRID name section statements type
DifferenceItemConnection: edges nextCursor nodes pageInfo totalCount
DifferenceItemEdge: cursor node
DifferenceModel: classCounts dependencyChain dependentOn dependents file forwardDifferences header id items
  preconditions projectVersion reverseDifferences stored
DifferenceModelHeader: created dependentOn description mRID modelingAuthoritySet profile scenarioTime supersedes version
DiscoveredAccess: dataTypesObserved firstSeen lastSeen organisationName organisationReference
DiscoveredAccessReport: ak isNew replayed state
ErasedOccupancies: erased retained
EventDelivery: attempts status webhookId
EventRedelivery: eventId replayed
FailedDelivery: dataUser eventId eventType lastFailure nextAttemptAt status wid
FailedDeliveryConnection: edges nextCursor nodes pageInfo
FailedDeliveryEdge: cursor node
FileRepresentation: address encoding sha256 size view
Finding: file instead kind mRID name value
GivenTariffConsent: isNew registrationId tariffs
GridLocation: changedObject coordinateSystem kind mRID name object objectName objectType points pointsBefore
GridLocationConnection: edges nextCursor nodes pageInfo totalCount
GridLocationEdge: cursor node
GridPoint: sequence x y
GridUpload: address expiresAt
HalfHourPrice: entry from tiers to unitPriceExcludingVat unitPriceIncludingVat
HalfHourPriceTier: toKwh unitPriceExcludingVat unitPriceIncludingVat
HourlyRate: rate validFrom validTo
IdentityLook: count dataUser hour kind
IdentityRecord: address anonymisedAt createdAt credentials expressedBy hasEmail id ir piiPrincipal principalVerification
IdentityRecordAnonymisation: anonymisedAt ir
IdentityRecordExistence: availableMethods exists mpxn
IdentityRecordRegistration: ir passkeyRegistrationRedirect replayed
IssuedBearerToken: bearerToken expires
ItemAssociation: name target
ItemAttribute: name number value
ItemClassCount: items section statements type
LicenceArea: aliases code distributorId group gspGroup name
MagicLink: dispatchedTo expiresAt redirectUrl tokenRef
MeterPoint: accessRecords id
ModelDependency: baseModel mRID models
ModelDifference: file kind mRID name section type values
ModelDifferenceConnection: edges nextCursor nodes pageInfo
ModelDifferenceEdge: cursor node
ModelPrecondition: associations attributes description mRID name type
ModelPreconditionConnection: edges nextCursor nodes pageInfo totalCount
ModelPreconditionEdge: cursor node
ModelWarning: file kind message
MpxnTariff: mpxn tariffId
Notice: notices sharedNotice
NoticeDetail: noticeLanguage noticeVersion termsUrl
ObjectAfter: existed exists findings mRID name statements type
ObjectAfterConnection: edges nextCursor nodes pageInfo
ObjectAfterEdge: cursor node
ObjectChange: files inBaseModel incomingReferences kind mRID name proposedType type values
ObjectChangeConnection: edges nextCursor nodes pageInfo totalCount
ObjectChangeEdge: cursor node
ObjectClassCount: added changed removed type
ObjectReference: file isAdded isDeleted name source
ObjectReferenceConnection: edges nextCursor nodes pageInfo
ObjectReferenceEdge: cursor node
PageInfo: endCursor hasNextPage hasPreviousPage startCursor
PaginationMeta: limit nextOffset offset total
PasskeyCeremonyOptions: kind options
PasskeyCredential: credentialId registeredAt transports
PasskeyRedirect: expiresAt redirectUrl returnUrl tokenRef
PasskeySignIn: options secret
PerformanceReport: availabilityPct notificationsIssued periodEnd periodStart receivedAt reportId responseTimeMs successPct supplier
  totalRequests
PerformanceReportConnection: edges nextCursor nodes pageInfo
PerformanceReportEdge: cursor node
PiiPrincipal: address moveInDate mpxn
PrincipalVerification: detail method outcome reference submitted verifiedAgainst verifiedAt
Processing: dataSource dataTypes jurisdiction legalBasis purpose recipients
ProjectVersion: archive baseModel classCounts id locations model models object objectAfter objects objectsAfter objectsByMRID project publishedAt unfittingObjects
  unplacedPoints version warnings
PublishedFile: name publishedAt representations
PublishedTariff: isChanged isNew tariff
PriceInterval: entry from tiers to unitPriceExcludingVat unitPriceIncludingVat
RateEntryPlace: daysAndHours hours schedule
RateTier: toKwh unitPrice
Recipient: name privacyUrl role
RecordMetadata: controllerArrangement createdAt duid identityRecordRef recordIdentifier schemaVersion
RegisterEvent: accessRecord affectedRecordCount affectedRecords cursor dataUser daysRemaining deliveries effectiveDate expiry id occurredAt recordedAt
  transition type webhook
RegisterEventConnection: edges nextCursor nodes pageInfo
RegisterEventCount: count minute type
RegisterEventEdge: cursor node
RegisteredConsent: dataType duid evidence
RegisteredRtiWebhook: isNew signingSecret webhookId
Reidentification: magicLink method passkey replayed
ReidentificationStatus: confirmedAt method status
RemovedRtiWebhook: webhookId
ResponseTimes: p50 p95 p99
RevokedTariffConsent: registrationId
RtiContact: email name telephone
RtiUser: contact displayName lastModified name status support userId webhookUrl
RtiUserConnection: edges nextCursor nodes pageInfo totalCount
RtiUserEdge: cursor node
RtiUserPage: data meta
RtiWebhook: createdAt mpid pending replacedAt rtiUser supplier userId webhookId webhookUrl
RtiWebhookConnection: edges nextCursor nodes pageInfo
RtiWebhookEdge: cursor node
SavedRtiUser: isNew rtiUser
SavedSupplier: isNew supplier
SectionCounts: items statements
SignInLink: expiresAt
StorageConditions: location retentionPeriod
StoredFile: name sha256 size
SubmittedReport: receivedAt reportId
SubscriptionHealth: active dataUser failedAttemptsLastHour faulty lastDeliveredAt pending undelivered webhookId wid
StatementAfter: file isAssociation isNew name targetExists value
Supplier: apiUrl audience displayName issuer lastModified mpid name oauthUrl status support tariff tariffPage tariffs
SupplierConnection: edges nextCursor nodes pageInfo totalCount
SupplierEdge: cursor node
SupplierPage: data meta
SupplierSignInOption: displayName mpid
SupplierSignInRedirect: secret url
Tariff: comments customerType description energyFlow fuelType lastModified ldzRegion meterType name paymentMethod percentageGreen
  priceIntervals prices rates replacedBy replaces sellableFrom sellableTo standingCharge standingChargeExcludingVat
  standingChargeIncludingVat supplier supplierStatus tariffId tariffType tierPeriod validFrom validTo vatIncluded vatRate version versions
TariffAssignment: from mpxn recordedAt supplier tariff
TariffAssignmentConnection: edges nextCursor nodes pageInfo
TariffAssignmentEdge: cursor node
TariffConnection: edges nextCursor nodes pageInfo totalCount
TariffConsent: givenAt mpid mpxns registrationId revokedAt revokedBy rtiUser supplier userId
TariffConsentConnection: edges nextCursor nodes pageInfo
TariffConsentEdge: cursor node
TariffEdge: cursor node
TariffEvent: at cursor deliveries id mpid mpxn recordedAt registrationId supplier tariff type
TariffEventConnection: edges nextCursor nodes pageInfo
TariffEventDelivery: attempts state userId webhookId
TariffEventEdge: cursor node
TariffPage: data meta
TariffScheduleEntry: dates daysAndHours months
TariffVersion: comments description name percentageGreen publishedAt version
TariffVersionConnection: edges nextCursor nodes pageInfo
TariffVersionEdge: cursor node
UKAddress: addressLine1 addressLine2 county postcode townCity
ValueChange: after before file isAssociation name
VersionComparison: counts differences differentFiles from headers to
Viewer: accountId dataUser duid role
Webhook: active alertEmail callbackUrl createdAt deliveries eventTypes id notifyDaysBefore wid
WebhookDeletion: wid
WebhookDelivery: attempts event eventId eventType nextAttemptAt sequence status
WebhookDeliveryConnection: edges nextCursor nodes pageInfo
WebhookDeliveryEdge: cursor node
WebhookRegistration: replayed signingSecret webhook
WebhookTest: eventId replayed
WebhookUpdate: signingSecret webhook
`;
