"""Four languages: catalogues, names of boxes, error sentences, descriptions of rules."""

from dicecup.i18n.language import LANGUAGES, Language, language, language_of_environment

__all__ = ["LANGUAGES", "Language", "language", "language_of_environment"]
