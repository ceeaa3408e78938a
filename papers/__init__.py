"""The protocols and tables of the papers: run from a checkout as ``python -m papers NAME --out DIR``.

``runner`` contains the parts that all experiments share: settings, cells that are saved when they finish,
tables and the registry ``EXPERIMENTS``. Each paper has a module with its data sets, methods and cells
(``pesc``, ``nsga2_clus``, ``multi_instance``, ``ensemble_nmf``, ``sisc_ml``, ``flagship``, ``interactive``)
and, if this module is long, a second one with its tables, figures and published numbers (``pesc_tables``,
...). ``documents`` and ``ebm`` read the collections of documents, ``flagship_sets`` the data sets of a
folder.
"""
