// Names of properties that the build writes shorter, to save room.

/**
 * Each is declared by a class or an interface of the plugin, and means nothing to anybody else: no type of the app, the browser
 * or Node has it, no reply, setting, stored file or text. tests/plugin/names.test.ts holds the list to this.
 */
const OWN = `
addItems again agreement alternatives around askModels begin
belowLeast best bodyEl build busy byFolder byMatch byName catalogue centered choose chooses comparison condition
confirmWrites conflict cosineDeviation cosineMean cosines deviation digits dropWorn expandAll
expandAllToggle facts fail failure firstAt focusEditor focusFirst focusPage focusTop forgetConversation hasFile
hasHash hits isAtEnd isCommon isComplete isCut isHeading isLinked isLive isLoose isLost isMatch isModified
isNegated isOneOfSeveral isOpen isPending isPointedAt isPossibleHere isRead isSet isSimilar isTyping
isWidened keepQuestion knownIdf lastAt lastStatus latest lexemes linesOf lists live mayUpload mayWrite meanCosine
means mentions merge moreContext near nearness notesWith ofVault older onChosen openSource operand own owners
pathOf permitAddress pinTo pointerLeft post postings rarity readAt readingText rebuild redeem redraw
renamed report row saveLayout say scored serverPath setOnce settingsChanged showMessage showModels
similarText snippetChars suggestedModel takes textStamp titlesOnly unsaved vector wake withFolder
zoomToSelection
`.trim().split(/\s+/);

/** For each of these names a shorter one, as the bundler takes them. */
export const SHORT_NAMES = Object.fromEntries(OWN.map((name, at) => [name, `${String.fromCharCode(65 + (at % 26))}${Math.floor(at / 26)}`]));
