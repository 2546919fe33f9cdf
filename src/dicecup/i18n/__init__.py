"""Words in four languages: catalogues, names of boxes, sentences of errors, rules put into words."""

from dicecup.i18n.language import LANGUAGES, Language, language, language_of_environment

__all__ = ["LANGUAGES", "Language", "language", "language_of_environment"]
